// Setting a status by hand. Rules: BLK2, BLK4, LNK9.
import { seesLink } from '@taskgraph/domain/access/access';
import { blocks, type Draft } from '@taskgraph/domain/decision/draft';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Status } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Caller } from './caller.ts';

/** Refuses a change of a Blocked node's status, naming the blockers that the caller may see (BLK4). */
export function refuseWhileBlocked(draft: Draft, caller: Caller, node: NodeState): Refusal | null {
  if (node.status !== Status.BLOCKED) return null;
  const blockers: Record<string, unknown>[] = [];
  let [hidden, looked] = [false, 0];
  const levelOn = (end: string) => caller.level(draft.existingNode(end));
  for (const id of [...draft.blockersOf(node.id)].sort()) {
    const link = draft.existingLink(id);
    if (!blocks(draft, link)) continue;
    looked++;
    if (seesLink(link, caller.reader, levelOn)) blockers.push({ id: link.source, link: link.id });
    else hidden = true;
  }
  // All hidden blockers together count as one: their number is nobody's business (LNK9). So do those that were not looked at.
  if (hidden || looked < node.openBlockers) blockers.push({ hidden: true });
  return refuse('conflict.node_blocked', 'The node is Blocked; complete its blockers first.', { blockers });
}
