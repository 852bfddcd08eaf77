// The users whose revisions a decided group raises.
import { feedOn } from '@taskgraph/domain/access/permissions';
import { concernedOwners } from '@taskgraph/domain/state/change';
import { subjectOfFeed } from '@taskgraph/wire/messages';
import type { Command } from './command.ts';
import type { GroupDecision } from './decide-group.ts';

/**
 * The owners of all that a group changes, and of the feeds whose numbers it moves. A worker that remembers something of an
 * owner goes by the owner's revision: the owners of all that a load would bring otherwise after the group have to be among these.
 */
export function bumpedOwners<C extends Command>({
  changes,
  nodeOf,
  heads,
  after,
  times,
}: GroupDecision<C>): Set<string> {
  const bumped = concernedOwners(changes, nodeOf);
  for (const id of bumped) if (!times.newest.has(id)) throw new Error(`the owner ${id} is concerned, and has no batch`);
  for (const feed of heads.keys()) {
    const owner = feed.startsWith('user:') ? subjectOfFeed(feed) : feedOn(after, feed)?.ownerId;
    if (owner === undefined) throw new Error(`the feed ${feed} moves, and does not exist`);
    bumped.add(owner);
  }
  return bumped;
}
