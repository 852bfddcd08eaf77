// The operations on nodes.
import { z } from 'zod';
import { Status } from '../codes.ts';
import { type Refusal, refuse } from '../errors.ts';
import { writableNodeFields } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changed } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { COMMAND, ON_ENTITY, type Operation } from './operation.ts';
import { named, noFields } from './payloads.ts';
import { CONTENT_PUSHES, READERS_PUSHES, TOKEN_PUSHES } from './pushes.ts';

const { node: id } = EXAMPLE;
const command = { ...COMMAND, answer: changed } as const;
const EDITOR = { least: 'editor', say: 'Editor on the node.' } as const;
const addedNode = z.strictObject({
  target: anyId.optional().describe('The parent of the new node.'),
  ...writableNodeFields,
});
const updatedNode = z.strictObject({
  ...named.shape,
  ...writableNodeFields,
  claim: anyId
    .optional()
    .describe("The `claimId` of the caller's claim. Without that claim in force the update is refused."),
});

/** Only links make a node Blocked (BLK2). */
function refuseBlockedByHand({ status }: { status?: number | undefined }): Refusal | null {
  if (status !== Status.BLOCKED) return null;
  return refuse('bad_request.status_blocked', 'Only links make a node Blocked; the status can be 0, 1 or 3.', {
    path: 'status',
  });
}

export const nodeOperations = {
  'node:add': {
    ...command,
    name: 'node:add',
    scope: 'edit',
    transports: { rest: { method: 'POST', path: '/api/node' }, socket: {} },
    summary: 'Creates a node, alone or as a child of another node.',
    description:
      'With `target` the new node is a child: it has the owner and the readers of its parent, and a link leads from it to the parent, which it blocks. Without `target`, the caller owns it alone. Missing fields start as empty texts and lists, zeros, `false`, and `null` for `dueDate`.',
    resource: 'node',
    payload: addedNode,
    check: (payload: z.infer<typeof addedNode>) => refuseBlockedByHand(payload),
    errors: [
      'forbidden.target_required',
      'not_found',
      'forbidden',
      'bad_request.status_blocked',
      'conflict.target_in_trash',
      'conflict.too_many_links',
      'conflict.too_many_grants',
      'conflict.too_many_feeds',
    ],
    pushes: READERS_PUSHES,
    level: { least: 'editor', say: 'Editor on the parent, if there is one.' },
    rules: ['NODE1', 'NODE2', 'NODE3', 'NODE4', 'NODE5', 'BLK2', 'BLK5', 'LNK2', 'ACL10'],
    example: { title: 'Set up the domain', target: id, tags: ['infrastructure'], priority: 2 },
  },
  'node:update': {
    ...command,
    name: 'node:update',
    scope: 'edit',
    transports: { rest: { method: 'PUT', path: '/api/node' }, socket: {} },
    summary: 'Changes fields of a node.',
    description:
      'Only the given fields change; at least one is required. A status is a separate entry of the diff, and so are the statuses of other nodes that follow from it.',
    resource: 'node',
    payload: updatedNode,
    check: ({ id: _id, version: _version, claim: _claim, ...fields }: z.infer<typeof updatedNode>) =>
      noFields(fields) ?? refuseBlockedByHand(fields),
    errors: [
      ...ON_ENTITY,
      'bad_request.no_fields',
      'bad_request.status_blocked',
      'conflict.in_trash',
      'conflict.claim_ended',
      'conflict.node_blocked',
    ],
    pushes: CONTENT_PUSHES,
    level: EDITOR,
    rules: ['NODE2', 'BLK2', 'BLK3', 'BLK4', 'BLK5', 'BLK6', 'BLK7', 'BLK8', 'CLAIM2', 'CLAIM3', 'GEN9', 'GEN10'],
    example: { id, title: 'Go live', status: 3 },
  },
  'node:trash': {
    ...command,
    name: 'node:trash',
    scope: 'trash',
    transports: { rest: { method: 'POST', path: '/api/node/trash' }, socket: {} },
    summary: 'Moves a node to the trash, with all its links.',
    description: 'Nodes below it stay. Nodes that it blocked may be unblocked.',
    resource: 'node',
    payload: named,
    errors: [...ON_ENTITY, 'conflict.already_trashed', 'conflict.too_many_feeds'],
    pushes: TOKEN_PUSHES,
    level: EDITOR,
    rules: ['TRS1', 'TRS4', 'BLK6', 'BLK10'],
    example: { id },
  },
  'node:restore': {
    ...command,
    name: 'node:restore',
    scope: 'trash',
    transports: { rest: { method: 'POST', path: '/api/node/restore' }, socket: {} },
    summary: 'Restores a node from the trash, with the links that were trashed with it.',
    description: 'Links that cannot be restored stay in the trash and are listed in `diff.skipped`.',
    resource: 'node',
    payload: named,
    errors: [...ON_ENTITY, 'not_trashed_node', 'conflict.too_many_links', 'conflict.too_many_feeds'],
    pushes: READERS_PUSHES,
    level: EDITOR,
    rules: ['TRS2', 'TRS3', 'BLK10', 'LNK4', 'LNK5'],
    example: { id },
  },
  'node:delete': {
    ...command,
    name: 'node:delete',
    scope: 'delete',
    transports: { rest: { method: 'DELETE', path: '/api/node' }, socket: {} },
    summary: 'Deletes a trashed node permanently, with its trashed links.',
    description: 'It cannot be restored.',
    resource: 'node',
    payload: named,
    errors: [...ON_ENTITY, 'not_trashed_node'],
    pushes: READERS_PUSHES,
    level: { least: 'owner', say: 'Owner of the node.' },
    rules: ['TRS5'],
    example: { id },
  },
} as const satisfies Record<string, Operation>;
