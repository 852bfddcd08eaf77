// The users whose revisions grow with a group.
import { feedOn } from '@taskgraph/domain/access/permissions';
import { concernedOwners } from '@taskgraph/domain/state/change';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import type { Command } from './command.ts';
import type { GroupDecision } from './decide-group.ts';

/**
 * The owners of all changed entities, and of all feeds with new slices. A worker's cache entries
 * are valid for one revision of their owner, so this set includes every owner whose entities load
 * differently after the group.
 */
export function bumpedOwners<C extends Command>({ writes, after }: GroupDecision<C>): Set<string> {
  const { changes, nodeOf, heads, times } = writes;
  const bumped = concernedOwners(changes, nodeOf);
  for (const id of bumped) if (!times.newest.has(id)) throw new Error(`the owner ${id} is concerned, and has no batch`);
  for (const feed of heads.keys()) {
    const owner = feed.startsWith('user:') ? subjectOfFeed(feed) : feedOn(after, feed)?.ownerId;
    if (owner === undefined) throw new Error(`the feed ${feed} moves, and does not exist`);
    bumped.add(owner);
  }
  return bumped;
}
