// Who may do what: the level of a reader on a node, and which links a reader sees. Rules: ACL1, ACL5, LNK9.
import { Level } from '@taskgraph/wire/codes';
import type { GrantState, LinkState, NodeState, Reader } from './state.ts';

/** Whether a grant still counts: access ends at `due` by the server's clock at the moment of the check (ACL5). */
function isCurrent(grant: GrantState, now: string): boolean {
  return grant.due === null || grant.due > now;
}

/**
 * The reader's level on a node (0 owner to 3 viewer), or null for no access at all (ACL1): the lowest of what ownership and
 * unexpired grants give. `now` is ISO 8601 UTC with milliseconds.
 */
export function levelOn(
  node: Pick<NodeState, 'id' | 'ownerId'>,
  reader: Reader,
  grants: readonly GrantState[],
  now: string,
): Level | null {
  if (node.ownerId === reader.id) return Level.OWNER;
  let lowest: Level | null = null;
  for (const grant of grants) {
    if (grant.nodeId !== node.id || grant.email !== reader.email || !isCurrent(grant, now)) continue;
    if (lowest === null || grant.level < lowest) lowest = grant.level;
  }
  return lowest;
}

/** Whether a level is enough. The lowest number is the highest privilege. */
export function allows(level: Level | null, needed: Level): boolean {
  return level !== null && level <= needed;
}

/** Whether a reader who sees both ends sees the link itself: a private one is shown to its owner alone (LNK9). */
export function seesLink(link: Pick<LinkState, 'private' | 'ownerId'>, reader: Reader): boolean {
  return !link.private || link.ownerId === reader.id;
}
