// The rows of both stored forms of history, and the batches that they decode to. Rule: HIS1.
import type { NewBatch } from '@taskgraph/domain/state/batch';
import { Op } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import type { Row } from '../driver/database.ts';
import { decodeBatches } from './decode-batches.ts';
import { HISTORY_FORMS, historyRows, MERGED_PROPERTIES } from './history-rows.ts';

const change = (id: string) => ({ op: Op.NODE_STATUS, kind: 'node' as const, id, before: {}, after: {} });
const slice = (feed: string, nodes: readonly string[], links: readonly string[] = []) => ({
  feed,
  seq: 7,
  nodes,
  links,
  reset: false,
});

const RENAME: NewBatch = {
  key: 'key',
  id: 'batch',
  commandId: 'command',
  ts: '2026-01-01T00:00:00.000Z',
  event: 'node:update',
  payloadHash: 'hash',
  actorId: 'ann',
  actorUsername: 'ann',
  actorEmail: 'ann@example.com',
  changes: [change('node'), change('node')],
  skipped: [],
  undoOf: null,
  redoOf: null,
  origin: 'batch',
  reverses: false,
  slices: [slice('user:ann', ['node'])],
  owners: ['ann'],
};
const UNDO: NewBatch = {
  ...RENAME,
  skipped: ['link'],
  undoOf: 'first',
  origin: 'first',
  reverses: true,
  changes: [change('one'), change('two')],
  slices: [slice('user:ann', ['one', 'two'], ['link']), slice('root:one', ['one'])],
  owners: ['ann', 'bob'],
};
const KEYLESS: NewBatch = { ...RENAME, commandId: RENAME.key };
const EMPTY: NewBatch = { ...RENAME, changes: [], slices: [], owners: ['ann'] };
const LONG: NewBatch = {
  ...RENAME,
  slices: [
    slice(
      'user:ann',
      Array.from({ length: 21 }, (_, index) => `node ${index}`),
    ),
    slice('root:node', ['node']),
  ],
};

test.each(Object.entries({ RENAME, KEYLESS, UNDO, EMPTY, LONG }))(
  '[HIS1] both forms of %s decode to the same batch',
  (_what, batch) => {
    const [separate, merged] = HISTORY_FORMS.map((form) => {
      const rows = historyRows([batch], form).batches.map((row) => row.batch as Row);
      return decodeBatches(rows).get(batch.key);
    });
    expect(merged).toEqual(separate);
    const { slices: _slices, owners: _owners, ...fields } = batch;
    expect(merged).toMatchObject(fields);
  },
);

test('[HIS1] the merged form of a batch of one entity has no other nodes', () => {
  const { batches, entries } = historyRows([RENAME], 'merged');
  expect(entries).toEqual([]);
  expect(batches).toMatchObject([
    { touched: [], batch: { entity: 'node', owner: 'ann', feed: 'user:ann', nodes: ['node'] } },
  ]);
});

test('[HIS1] a list of batches without their changes needs no text of unbounded size', () => {
  const { batch } = historyRows([UNDO], 'merged').batches[0] as { batch: Row };
  const { ts, actorUsername, actorEmail, origin } = UNDO;
  expect(batch).toMatchObject({ ts, actorUsername, actorEmail, origin });
});

test('[HIS1] all properties of the merged form are fields of a batch, or are removed when it is decoded', () => {
  const { batch } = historyRows(
    [{ ...UNDO, slices: [{ ...slice('user:ann', ['one'], ['link']), reset: true }] }],
    'merged',
  ).batches[0] as { batch: Row };
  const fields = [...Object.keys(UNDO), 'details'];
  expect(
    Object.keys(batch)
      .filter((name) => !fields.includes(name))
      .sort(),
  ).toEqual([...MERGED_PROPERTIES].sort());
  const decoded = decodeBatches([batch]).get(UNDO.key) as object;
  expect(Object.keys(decoded).filter((name) => MERGED_PROPERTIES.has(name) || name === 'details')).toEqual([]);
});

test('[HIS1] further touches and entries have their own nodes, and so has a long first entry', () => {
  const undo = historyRows([UNDO], 'merged');
  expect(undo.batches).toMatchObject([
    { touched: ['two', 'bob'], batch: { entity: 'one', owner: 'ann', feed: 'user:ann', links: ['link'] } },
  ]);
  expect(undo.entries).toMatchObject([{ feed: 'root:one', batch: 'batch', links: [] }]);
  const long = historyRows([LONG], 'merged');
  expect(long.batches[0]?.batch).not.toHaveProperty('feed');
  expect(long.entries).toMatchObject([{ feed: 'user:ann' }, { feed: 'root:node' }]);
});

test.each(HISTORY_FORMS)('[HIS1] a batch without changes is touched by nothing in the %s form', (form) => {
  const { batches, entries } = historyRows([EMPTY], form);
  expect([batches[0]?.touched, entries]).toEqual([[], []]);
  expect(batches[0]?.batch).not.toHaveProperty('owner');
});
