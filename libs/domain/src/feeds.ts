// Which feed gets which part of a batch: the slice that all readers of that feed may see (EVT1, LNK9).
import { userFeed } from '@taskgraph/wire/messages';
import { type Change, isVisible, subjectOf } from './change.ts';
import type { NodeState } from './state.ts';

/** The changes of each feed, in the batch's order. Feeds come in id order, which is the order in which they are locked. */
export function sliceByFeed(
  changes: readonly Change[],
  nodeOf: (id: string) => Pick<NodeState, 'ownerId'>,
): Map<string, Change[]> {
  const slices = new Map<string, Change[]>();
  const give = (feed: string, change: Change) => {
    const slice = slices.get(feed);
    if (slice) slice.push(change);
    else slices.set(feed, [change]);
  };
  for (const change of changes.filter(isVisible)) {
    if (change.kind === 'node') give(userFeed(subjectOf(change).ownerId), change);
    else for (const owner of linkReaders(subjectOf(change), nodeOf)) give(userFeed(owner), change);
  }
  return new Map([...slices].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Owners who read both ends of a link by ownership; of a private one its owner alone (LNK9). */
function linkReaders(
  link: { source: string; target: string; private: boolean; ownerId: string },
  nodeOf: (id: string) => Pick<NodeState, 'ownerId'>,
): string[] {
  const source = nodeOf(link.source).ownerId;
  if (source !== nodeOf(link.target).ownerId) return [];
  return !link.private || link.ownerId === source ? [source] : [];
}
