// claim: takes a ready node that no other agent gets, and renews or ends such a claim.

import { definedFields } from '@taskgraph/wire/defined-fields';
import type { WireNode } from '@taskgraph/wire/entities';
import { choice, integer, list, object, text } from '../input-schema.ts';
import { nodeLine, pageOfLines, piecesOf, quoted } from '../lines.ts';
import { resolveNode } from '../references.ts';
import { ToolFailure } from '../service.ts';
import { BELOW, NODE, rootOf } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

const LONGEST_LEASE = 1_440;
/** UTF-16 units of a line of a description. */
const PIECE_LENGTH = 1_000;

interface ClaimRequest {
  readonly action?: 'take' | 'renew' | 'release';
  readonly node?: string;
  readonly claim?: string;
  readonly below?: string;
  readonly tags?: readonly string[];
  readonly lease?: number;
}

export const claim = defineTool<ClaimRequest>({
  name: 'claim',
  description:
    'Takes a ready node, or the given one, that no other agent gets until the claim ends. Answers the node and the id of the claim.',
  effect: 'adds',
  input: object({
    action: choice(['take', 'renew', 'release']),
    node: NODE,
    claim: text('To renew or release.'),
    below: BELOW,
    tags: list(text('Any of these.'), 20),
    lease: integer(1, LONGEST_LEASE, 'Minutes.'),
  }),
  async run({ action = 'take', node, claim: claimId, below, tags, lease }, context) {
    const { service, nowMs } = context;
    const id = node === undefined ? undefined : await resolveNode(context, node);
    if (action === 'take') {
      const where = tags === undefined ? {} : { where: { tag: tags } };
      const payload = { ...definedFields({ id, lease }), ...(await rootOf(context, below)), ...where };
      const { node: claimed, claimId: given } = await service.call('node:claim', payload);
      if (claimed === null) return 'There is nothing to claim now.';
      const { description, ...shown } = claimed as WireNode;
      const texts = piecesOf(description, PIECE_LENGTH).map((piece) => `  description: ${quoted(piece, PIECE_LENGTH)}`);
      return pageOfLines(
        [nodeLine(shown, nowMs()), `  id ${shown.id}`, `  claim ${String(given)}`, ...texts],
        undefined,
      );
    }
    if (id === undefined || claimId === undefined) {
      throw new ToolFailure('bad_request.missing_claim', `To ${action} a claim, give its node and its id.`);
    }
    const event = `node:claim:${action}`;
    await service.call(event, action === 'renew' ? { id, claimId, ...definedFields({ lease }) } : { id, claimId });
    return action === 'renew' ? 'The claim is renewed.' : 'The claim is released, and the node is available again.';
  },
});
