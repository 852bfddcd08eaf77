// Changes of a status by a user. Rules: BLK2, BLK4, LNK9.
import { seesLink } from '@taskgraph/domain/access/reader-access';
import { blocks, type Draft } from '@taskgraph/domain/decision/draft';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Status } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Caller } from './caller.ts';

/**
 * Refuses to change the status of a Blocked node, and names the blockers that the caller sees
 * (BLK4).
 */
export function refuseWhileBlocked(draft: Draft, caller: Caller, node: NodeState): Refusal | null {
  if (node.status !== Status.BLOCKED) return null;
  const blockers: Record<string, unknown>[] = [];
  let [hidden, examined] = [false, 0];
  const levelOn = (end: string) => caller.level(draft.existingNode(end));
  for (const id of [...draft.blockersOf(node.id)].sort()) {
    const link = draft.existingLink(id);
    if (!blocks(draft, link)) continue;
    examined++;
    if (seesLink(link, caller.reader, levelOn)) blockers.push({ id: link.source, link: link.id });
    else hidden = true;
  }
  // All hidden or unread blockers count as one, so that their number is not revealed (LNK9).
  if (hidden || examined < node.openBlockers) blockers.push({ hidden: true });
  return refuse('conflict.node_blocked', 'The node is Blocked; complete its blockers first.', { blockers });
}
