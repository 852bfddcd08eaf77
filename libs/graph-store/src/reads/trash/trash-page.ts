// A page of the trash: the nodes and links that its reader may restore, newest first. Rules: TRS2,
// EVT3, GEN11, LNK7, LNK9.
import { allows } from '@taskgraph/domain/access/reader-access';
import { asIfRestored, mayRestoreOrSwap } from '@taskgraph/domain/access/trash-visibility';
import { Level } from '@taskgraph/wire/codes';
import type { Database } from '../../driver/database.ts';
import { type ByteBudget, textBytes } from '../page-byte-limit.ts';
import { type ReaderAccess, withGrantsOn } from '../reader.ts';
import { feedsOf, locateNodesOnRestore, observe } from '../visible.ts';
import {
  readCandidates,
  readOwnTrash,
  readTrashedNodes,
  type TrashCursor,
  type TrashEntry,
  type TrashedNode,
} from './trash-candidates.ts';

/** Candidates read and checked at once. Each chunk searches all feeds that the reader edits. */
const [SMALLEST_CHUNK, LARGEST_CHUNK] = [500, 2_000];

/** Maximum chunks of one page; an offset can't reach further back. */
const MAXIMUM_CHUNKS = 50;

/**
 * The furthest offset for a statement: the database counts skipped rows in 32 bits. No trash is as
 * long.
 */
const FURTHEST_SKIP = 10_000_000;

export interface TrashPage {
  readonly entries: readonly TrashEntry[];
  readonly hasMore: boolean;
  /** Whether trashed entities were omitted because checking them would exceed a limit. */
  readonly isUnchecked: boolean;
}

/** Approximate bytes of an entry without its title. */
export const ENTRY_BYTES = 450;

/**
 * Reads one page within the byte budget; one entity more than the limit shows whether there is a
 * next page. Null if the offset is too far.
 */
export async function readTrashPage(
  database: Database,
  readerAccess: ReaderAccess,
  { limit, offset }: { limit: number; offset: number },
  budget: ByteBudget,
): Promise<TrashPage | null> {
  const feeds = [...readerAccess.levels].filter(([, level]) => allows(level, Level.EDITOR)).map(([feed]) => feed);
  const reader = readerAccess.readerId;
  const own =
    feeds.length > 0 || offset > FURTHEST_SKIP
      ? null
      : await readOwnTrash(database, { reader, skip: offset, limit: limit + 1 });
  const { found, truncated, isUnchecked } =
    own === null
      ? await collect(database, readerAccess, feeds, { skip: offset, count: limit + 1 })
      : { found: own, truncated: false, isUnchecked: false };
  // Others may have trashed many entities that this reader can't restore; return those found before
  // the cut.
  if (truncated && found.length === 0) return null;
  const entries: TrashEntry[] = [];
  for (const one of found.slice(0, limit)) {
    if (!budget.take(ENTRY_BYTES + (one.node === null ? 0 : textBytes(one.node.title)))) break;
    entries.push(one);
  }
  return { entries, hasMore: truncated || found.length > entries.length, isUnchecked };
}

/**
 * Walks the candidates until enough are restorable by the reader, or the walk reaches its limit.
 */
async function collect(
  database: Database,
  readerAccess: ReaderAccess,
  feeds: readonly string[],
  { skip, count }: { skip: number; count: number },
): Promise<{ found: TrashEntry[]; truncated: boolean; isUnchecked: boolean }> {
  const sought = { reader: readerAccess.readerId, feeds };
  const size = Math.max(SMALLEST_CHUNK, Math.min(LARGEST_CHUNK, skip + count));
  const page: TrashEntry[] = [];
  let after: TrashCursor | null = null;
  let left = skip;
  let isUnchecked = false;
  for (let chunk = 0; chunk < MAXIMUM_CHUNKS; chunk++) {
    const { found, next } = await readCandidates(database, sought, { after, size });
    const { restorable, ...judged } = await filterRestorable(database, readerAccess, found);
    isUnchecked ||= judged.isUnchecked;
    page.push(...restorable.slice(left));
    left = Math.max(0, left - restorable.length);
    if (page.length >= count || next === null) return { found: page, truncated: false, isUnchecked };
    after = next;
  }
  return { found: page, truncated: true, isUnchecked };
}

/**
 * The candidates that the reader may restore: nodes as an editor of the feeds that they would
 * return to, and links (TRS2, LNK7). If the reader named the entities, all grants on them count
 * (ACL11).
 */
async function filterRestorable(
  database: Database,
  readerAccess: ReaderAccess,
  found: readonly TrashEntry[],
  isNamed = false,
): Promise<{ restorable: TrashEntry[]; isUnchecked: boolean }> {
  const reader = readerAccess.readerId;
  const foreign = found.flatMap((one) => foreignNodes(one, reader));
  const places = await locateNodesOnRestore(database, readerAccess, foreign);
  const access = isNamed ? await withGrantsOn(database, readerAccess, feedsOf(places.values())) : readerAccess;
  const observer = asIfRestored(observe(access, places));
  const restorable = found.filter((one) => {
    if (foreignNodes(one, reader).length === 0) return true;
    if (one.node !== null) {
      const node = observer.node(one.node.id);
      return node !== null && allows(observer.level(node), Level.EDITOR);
    }
    const { link } = one;
    const [source, target] = [observer.node(link.source), observer.node(link.target)];
    return source !== null && target !== null && mayRestoreOrSwap(observer, { link, source, target });
  });
  return { restorable, isUnchecked: [...places.values()].some(({ unchecked }) => unchecked) };
}

/** Those of these trashed nodes that the reader may restore; null if one is no longer in the trash. */
export async function readRestorableNodes(
  database: Database,
  readerAccess: ReaderAccess,
  ids: readonly string[],
): Promise<TrashedNode[] | null> {
  const found = await readTrashedNodes(database, ids);
  if (found.length < ids.length) return null;
  const { restorable } = await filterRestorable(
    database,
    readerAccess,
    found.map((node) => ({ node, link: null })),
    true,
  );
  return restorable.flatMap(({ node }) => node ?? []);
}

/** The nodes on which the reader's level must be determined. */
function foreignNodes(one: TrashEntry, reader: string): string[] {
  if (one.node !== null) return one.node.ownerId === reader ? [] : [one.node.id];
  const { link, sourceOwnerId, targetOwnerId } = one;
  return sourceOwnerId === reader && targetOwnerId === reader ? [] : [link.source, link.target];
}
