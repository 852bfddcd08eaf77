// The nodes of a plan of which not every blocker is in the reader's sight. Rules: PLAN2, LNK9, BLK1.
import { isOpenTo } from '@taskgraph/domain/access/access';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readBlockingLinks } from '@taskgraph/graph-store/reads/explaining/chain-nodes';
import type { PlannedNode } from '@taskgraph/graph-store/reads/planning/planned-nodes';
import { levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes } from '@taskgraph/graph-store/reads/visible';
import { Status } from '@taskgraph/wire/codes';

/** Most blockers outside of a plan that are looked at for one page; past them a node counts as blocked by what is out of sight. */
const MAXIMUM_OUTSIDE = 100_000;

/** Those of some nodes of a plan that something blocks which the reader does not see. Blockers that are planned are seen. */
export async function withUnseenBlockers(
  database: Database,
  readerAccess: ReaderAccess,
  planned: readonly PlannedNode[],
  some: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const inPlan = countPlanned(planned);
  const doubtful = planned.filter(
    ({ id, status, openBlockers }) => some.has(id) && status === Status.BLOCKED && openBlockers > (inPlan.get(id) ?? 0),
  );
  const ids = new Set(planned.map(({ id }) => id));
  const unseen = new Set<string>();
  let looked = 0;
  const nodes = doubtful.map(({ id, openBlockers }) => ({ id, openBlockers, blocking: null }));
  for await (const links of readBlockingLinks(database, nodes)) {
    const outside = links.filter(({ source }) => !ids.has(source));
    looked += outside.length;
    const isPast = looked > MAXIMUM_OUTSIDE;
    const places = await locateNodes(database, isPast ? [] : outside.map(({ source }) => source));
    const reader = { id: readerAccess.readerId };
    for (const link of links) {
      const place = places.get(link.source);
      const isSeen = ids.has(link.source) || (place !== undefined && levelOf(readerAccess, place) !== null);
      if (!isOpenTo(link, reader) || !isSeen) unseen.add(link.target);
    }
  }
  return unseen;
}

/** How many of the open blockers of each node are planned, by links that the reader sees. */
function countPlanned(planned: readonly PlannedNode[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status, blocks } of planned) {
    if (status === Status.COMPLETED) continue;
    for (const target of blocks) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}
