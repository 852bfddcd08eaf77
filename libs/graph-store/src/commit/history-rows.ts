// The stored form of batches: their nodes, and the touches and entries that lead to them.

import type { FeedEntry, NewBatch } from '@taskgraph/domain/state/batch';
import { integer } from '../driver/codec.ts';
import type { Row } from '../driver/database.ts';

/** The stored forms of history. */
export const HISTORY_FORMS = ['separate', 'merged'] as const;

/**
 * `separate`: each touch and each entry is a node. `merged`: the batch's node has the first touch
 * of an entity (`entity`), the first touch of an owner (`owner`) and the first entry (`feed`,
 * `seq`, `nodes`, `links`, `reset`) as properties, and one JSON text (`details`) of the fields that
 * no statement filters by and that no list of batches returns. Reads accept both forms, mixed in
 * any way.
 */
export type HistoryForm = (typeof HISTORY_FORMS)[number];

/** Properties of a batch's node in the merged form that are not fields of the batch. */
export const MERGED_PROPERTIES: ReadonlySet<string> = new Set([
  'entity',
  'owner',
  'feed',
  'seq',
  'nodes',
  'links',
  'reset',
]);

/**
 * An entry that names more entities has its own node, so that loads of its batch do not read its
 * ids.
 */
const MAXIMUM_MERGED_IDS = 20;

/** The rows of `CREATE_BATCHES` and `CREATE_ENTRIES`, in the order of the batches. */
export function historyRows(batches: readonly NewBatch[], form: HistoryForm): { batches: Row[]; entries: Row[] } {
  const rows = batches.map(form === 'merged' ? mergedRows : separateRows);
  return {
    batches: rows.map(({ batch, touched }) => ({ batch, touched })),
    entries: rows.flatMap(({ entries }) => entries),
  };
}

interface BatchRows {
  readonly batch: Row;
  /** Ids of the entities and owners whose touches have their own nodes. */
  readonly touched: readonly string[];
  readonly entries: readonly Row[];
}

function separateRows(batch: NewBatch): BatchRows {
  const { changes, slices, owners: _owners, skipped, commandId: _commandId, ...fields } = batch;
  return {
    batch: {
      ...fields,
      ...commandIdOf(batch),
      skipped: [...skipped],
      changes: JSON.stringify(changes),
      feeds: JSON.stringify(numbersOf(slices)),
      undone: false,
    },
    touched: [...entitiesOf(batch), ...ownersOf(batch)],
    entries: slices.map((slice) => entryRow(batch, slice)),
  };
}

/**
 * Values that `decodeBatches` assumes are omitted. `id` and `ts` come first: several indexes share
 * them, and the server looks at each index again for each of its properties that follows.
 */
function mergedRows(batch: NewBatch): BatchRows {
  const { key, id, ts, actorId, actorUsername, actorEmail, origin, changes, slices } = batch;
  const [entity, ...entities] = entitiesOf(batch);
  const [owner, ...owners] = ownersOf(batch);
  const [first, ...others] = slices;
  const isMerged = first !== undefined && first.nodes.length + first.links.length <= MAXIMUM_MERGED_IDS;
  return {
    batch: {
      id,
      ts,
      key,
      actorId,
      actorUsername,
      actorEmail,
      details: detailsOf(batch),
      changes: JSON.stringify(changes),
      ...(origin === id ? {} : { origin }),
      ...(entity === undefined ? {} : { entity }),
      ...(owner === undefined ? {} : { owner }),
      ...(isMerged ? mergedEntry(first) : {}),
    },
    touched: [...entities, ...owners],
    entries: (isMerged ? others : slices).map((slice) => entryRow(batch, slice)),
  };
}

/** The key of a command without an idempotency key is its id, which is stored once. */
function commandIdOf({ key, commandId }: NewBatch): { commandId?: string } {
  return commandId === key ? {} : { commandId };
}

function detailsOf(batch: NewBatch): string {
  const { event, payloadHash, skipped, undoOf, redoOf, reverses, slices } = batch;
  return JSON.stringify({
    ...commandIdOf(batch),
    event,
    payloadHash,
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(undoOf === null ? {} : { undoOf }),
    ...(redoOf === null ? {} : { redoOf }),
    ...(reverses ? { reverses } : {}),
    feeds: numbersOf(slices),
  });
}

function numbersOf(slices: readonly FeedEntry[]): Record<string, number> {
  return Object.fromEntries(slices.map(({ feed, seq }) => [feed, seq]));
}

function entitiesOf({ changes }: NewBatch): string[] {
  return [...new Set(changes.map(({ id }) => id))];
}

/** History does not show batches without changes. */
function ownersOf({ changes, owners }: NewBatch): readonly string[] {
  return changes.length > 0 ? owners : [];
}

function mergedEntry({ feed, seq, nodes, links, reset }: FeedEntry): Row {
  return {
    feed,
    seq: integer(seq),
    nodes: [...nodes],
    ...(links.length > 0 ? { links: [...links] } : {}),
    ...(reset ? { reset } : {}),
  };
}

function entryRow({ id, ts }: NewBatch, { feed, seq, nodes, links, reset }: FeedEntry): Row {
  return { feed, seq: integer(seq), batch: id, ts, nodes: [...nodes], links: [...links], reset };
}
