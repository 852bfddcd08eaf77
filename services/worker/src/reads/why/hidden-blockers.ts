// The nodes of a plan with blockers that the reader does not see. Rules: PLAN2, LNK9, BLK1.
import { isOpenTo } from '@taskgraph/domain/access/reader-access';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readBlockingLinks } from '@taskgraph/graph-store/reads/explanation/chain-nodes';
import { readOpenBlockers } from '@taskgraph/graph-store/reads/plan/planned-nodes';
import { levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes } from '@taskgraph/graph-store/reads/visible';

/**
 * Most blockers outside a plan that one page examines. A node with more counts as blocked by hidden
 * nodes.
 */
const MAXIMUM_OUTSIDE = 100_000;

/** Planned nodes of one page. */
export interface PlannedPage {
  /** By Blocked node: the number of its planned blockers, which are visible. */
  readonly blockers: ReadonlyMap<string, number>;
  readonly isPlanned: (id: string) => boolean;
}

/** The nodes of a page with a hidden blocker. */
export async function withUnseenBlockers(
  database: Database,
  readerAccess: ReaderAccess,
  { blockers, isPlanned }: PlannedPage,
): Promise<ReadonlySet<string>> {
  const counts = await readOpenBlockers(database, [...blockers.keys()]);
  const doubtful = [...counts].filter(([id, openBlockers]) => openBlockers > (blockers.get(id) ?? 0));
  const unseen = new Set<string>();
  let looked = 0;
  const nodes = doubtful.map(([id, openBlockers]) => ({ id, openBlockers, blocking: null }));
  for await (const links of readBlockingLinks(database, nodes)) {
    const outside = links.filter(({ source }) => !isPlanned(source));
    looked += outside.length;
    const isPast = looked > MAXIMUM_OUTSIDE;
    const places = await locateNodes(database, isPast ? [] : outside.map(({ source }) => source));
    const reader = { id: readerAccess.readerId };
    for (const link of links) {
      const place = places.get(link.source);
      const isSeen = isPlanned(link.source) || (place !== undefined && levelOf(readerAccess, place) !== null);
      if (!isOpenTo(link, reader) || !isSeen) unseen.add(link.target);
    }
  }
  return unseen;
}
