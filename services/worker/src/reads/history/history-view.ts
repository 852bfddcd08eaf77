// One reader's view of history: the visible operations of batches, and the batches that they name.
// Rules: ACL9, GEN11, HIS1, HIS5, HIS7, TRS5.
import { disclosureOf } from '@taskgraph/domain/access/trash-visibility';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { type HistoryOperation, historyOperations } from '@taskgraph/domain/views/history';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type HistoryBatch, loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { readVisible, type Visible } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Body } from '../read-handler.ts';

/** The reader, and the dependencies of their reads. */
export interface Viewer {
  readonly database: Database;
  readonly actor: ActingUser;
  readonly readerAccess: ReaderAccess;
  /** Most bytes of the page. */
  readonly pageBytes: number;
  /** Called for each entity that is left out because its access could not be decided. */
  readonly onUnchecked: () => void;
  /** Waits for the permit to read a text that is longer than a page. */
  readonly acquireLongRead: () => Promise<void>;
}

/** The visible part of the short batches. Long batches are read one by one. */
export function visibleOfShort(viewer: Viewer, batches: readonly HistoryBatch[]): Promise<Visible> {
  const short = batches.filter(({ isShort }) => isShort);
  return visibleOf(
    viewer,
    short.flatMap((found) => [...found.changes()].flat()),
  );
}

async function visibleOf(
  { database, readerAccess, onUnchecked }: Viewer,
  changes: readonly StoredChange[],
): Promise<Visible> {
  const visible = await readVisible(database, readerAccess, {
    nodes: changes.filter(({ kind }) => kind !== 'link').map(({ id }) => id),
    links: changes.filter(({ kind }) => kind === 'link').map(({ id }) => id),
  });
  if (visible.isUnchecked) onUnchecked();
  return visible;
}

/** Rough size of a batch without its operations, bytes. */
const BATCH_BYTES = 800;

interface ShownOperations {
  readonly ops: readonly HistoryOperation[];
  readonly bytes: number;
  /** The page does not contain all of them. */
  readonly truncated: boolean;
}

/** The visible operations that a batch must have. */
interface Condition {
  /** On one of these entities; null for any. */
  readonly entities: ReadonlySet<string> | null;
  /** Of one of these types; null for any. */
  readonly types?: ReadonlySet<number> | null;
}

/**
 * The visible part of a batch, cut at the size of a page; null if it has no visible operation that
 * fulfils the condition.
 */
export async function operationsOf(
  viewer: Viewer,
  found: HistoryBatch,
  { entities, types = null, sighting }: Condition & { readonly sighting: Visible },
): Promise<ShownOperations | null> {
  const ops: HistoryOperation[] = [];
  let [bytes, truncated, isListed] = [BATCH_BYTES, false, false];
  for (const changes of found.changes()) {
    const seen = found.isShort ? sighting : await visibleOf(viewer, changes);
    for (const op of historyOperations(changes, found.batch.ts, (change) => disclosureOf(seen, change))) {
      isListed ||= (entities === null || entities.has(op.entityId)) && (types === null || types.has(op.type));
      const more = Buffer.byteLength(JSON.stringify(op));
      truncated ||= ops.length > 0 && bytes + more > viewer.pageBytes;
      if (truncated) continue;
      bytes += more;
      ops.push({ ...op, id: ops.length + 1 });
    }
    if (truncated && isListed) break;
  }
  return isListed ? { ops, bytes, truncated } : null;
}

/** The ids of the visible batches that these undid or redid. The other ids remain hidden. */
export async function seenReferences(viewer: Viewer, portion: readonly HistoryBatch[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(portion.flatMap(({ batch }) => [batch.undoOf, batch.redoOf]).filter((id) => id !== null))];
  const seen = new Set<string>();
  // Most pages have neither undos nor redos, and cost no further read.
  if (ids.length === 0) return seen;
  for await (const referred of loadBatches(viewer.database, ids, viewer.acquireLongRead)) {
    const sighting = await visibleOfShort(viewer, referred);
    for (const found of referred) {
      if ((await operationsOf(viewer, found, { entities: null, sighting })) !== null) seen.add(found.batch.id);
    }
  }
  return seen;
}

export function viewBatch(
  { batch, undone }: HistoryBatch,
  { ops, truncated }: ShownOperations,
  known: ReadonlySet<string>,
): Body {
  const { id, actorUsername, actorEmail, ts, undoOf, redoOf } = batch;
  return {
    batchId: id,
    actor: { username: actorUsername, email: actorEmail },
    ts,
    undone,
    ...(undoOf !== null && known.has(undoOf) ? { undoOf } : {}),
    ...(redoOf !== null && known.has(redoOf) ? { redoOf } : {}),
    ops,
    ...(truncated ? { truncated: true } : {}),
  };
}
