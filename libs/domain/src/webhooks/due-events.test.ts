import { runs } from '@taskgraph/testkit/runs';
import { Op, Status } from '@taskgraph/wire/codes';
import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { MOST_DUE_OF_MESSAGE, WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredChange } from '../state/batch.ts';
import { type DueMessageSize, dueContent, dueEvent, fittingEvents, wasDue } from './due-events.ts';

const DUE = '2026-01-01T00:00:00.000Z';
const ID = '01985f16-b590-7a11-8e31-d5f67189b2ca';
const change = (before: object | null, op: Op = Op.NODE_UPDATE, id = ID) =>
  ({ op, kind: 'node', id, before, after: {} }) as StoredChange;
const was = (...later: StoredChange[]) => wasDue({ id: ID, dueDate: DUE }, later);

test('[HOOK5] the first later change of a field tells whether a node was due at its date', () => {
  expect(was()).toBe(true);
  expect(was(change({ dueDate: null }))).toBe(false);
  expect(was(change({ dueDate: DUE }), change({ dueDate: '2027-01-01T00:00:00.000Z' }))).toBe(true);
  expect(was(change({ status: Status.COMPLETED }))).toBe(false);
  expect(was(change({ status: Status.AVAILABLE }), change({ status: Status.COMPLETED }))).toBe(true);
  expect(was(change({ dueDate: DUE }), change({ status: Status.COMPLETED }))).toBe(false);
  expect(was(change({ dueDate: null }, Op.NODE_UPDATE, 'another'))).toBe(true);
});

test('[HOOK5] a node that was created or restored after its date was not due', () => {
  expect(was(change(null, Op.NODE_ADD))).toBe(false);
  expect(was(change({ inTrash: true }, Op.NODE_RESTORE))).toBe(false);
  expect(was(change({ inTrash: false }, Op.NODE_TRASH), change({ inTrash: true }, Op.NODE_RESTORE))).toBe(true);
});

const events = (count: number, title = '') => Array.from({ length: count }, () => dueEvent(ID, { title }));

test('[HOOK4 HOOK6] events that are too long have ids only, and a message names no range', () => {
  expect(dueContent(events(2))).toEqual({ events: events(2) });
  const long = dueContent(events(MOST_DUE_OF_MESSAGE, 'ü'.repeat(1_000)));
  expect(long).toMatchObject({ thin: true });
  expect(long.events).toHaveLength(MOST_DUE_OF_MESSAGE);
  const message = { type: 'graph.due', timestamp: DUE, data: { hook: ID, ...long } };
  const body = WEBHOOK_BODIES['graph.due'].parse(message);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(WEBHOOK_MESSAGE_BYTES);
  const ranged = { ...message, data: { ...message.data, due: { from: DUE, to: DUE } } };
  expect(WEBHOOK_BODIES['graph.due'].safeParse(ranged).success).toBe(false);
});

const EMPTY = { count: 0, bytes: 0 };

test('[HOOK6] a message has at least one event, and no more than fit', () => {
  expect(fittingEvents(events(3), EMPTY)).toMatchObject({ fitting: 3, isFull: false, size: { count: 3 } });
  expect(fittingEvents(events(3, 'x'.repeat(WEBHOOK_MESSAGE_BYTES)), EMPTY)).toMatchObject({
    fitting: 1,
    isFull: true,
  });
  expect(fittingEvents(events(MOST_DUE_OF_MESSAGE + 1), EMPTY)).toMatchObject({
    fitting: MOST_DUE_OF_MESSAGE,
    isFull: true,
  });
  const { fitting: count } = fittingEvents(events(MOST_DUE_OF_MESSAGE, 'x'.repeat(2_000)), EMPTY);
  expect(dueContent(events(count, 'x'.repeat(2_000)))).not.toHaveProperty('thin');
  expect(dueContent(events(count + 1, 'x'.repeat(2_000)))).toMatchObject({ thin: true });
});

test('[HOOK6] a message has the same events, whether they are found at once or in parts', () => {
  const titles = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 130 });
  fc.assert(
    fc.property(titles, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (lengths, parts) => {
      const all = lengths.map((length) => dueEvent(ID, { title: 'x'.repeat(length) }));
      const { size } = fittingEvents(all, EMPTY);
      let [found, isFull] = [EMPTY as DueMessageSize, false];
      for (let [at, part] = [0, 0]; at < all.length && !isFull; part++) {
        const some = all.slice(at, at + (parts[part % parts.length] as number));
        const next = fittingEvents(some, found);
        [found, isFull, at] = [next.size, next.isFull, at + some.length];
      }
      expect(found).toEqual(size);
    }),
    { numRuns: runs(50) },
  );
});
