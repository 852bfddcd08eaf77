import { expect, it } from 'vitest';
import { parentOf, traceIdOf } from './trace.ts';

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

it('uses the trace of a W3C header', () => {
  const parent = { traceId, spanId, traceFlags: 1, isRemote: true };
  expect(parentOf(`00-${traceId}-${spanId}-01`)).toEqual(parent);
  expect(parentOf(`01-${traceId}-${spanId}-03-more`)).toEqual(parent);
  expect(parentOf(`00-${traceId}-${spanId}-00`)).toEqual({ ...parent, traceFlags: 0 });
  expect(traceIdOf(`00-${traceId}-${spanId}-01`)).toBe(traceId);
});

it.each([
  undefined,
  '',
  'x',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
])('creates a new id of the same form for %s', (header) => {
  expect(parentOf(header)).toBeNull();
  const [one, other] = [traceIdOf(header), traceIdOf(header)];
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(one).not.toBe(other);
});

it('never creates an id twice', () => {
  const made = Array.from({ length: 1_000 }, () => traceIdOf(undefined));
  expect(new Set(made).size).toBe(1_000);
});
