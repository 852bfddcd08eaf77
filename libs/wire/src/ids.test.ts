import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyId, composeId, PARTITIONS, partitionOf, SLOTS, slotOf, withoutSlot } from './ids.ts';

const slots = fc.nat(SLOTS - 1);
const times = fc.nat(2 ** 48 - 1);
const counters = fc.nat(0x3fff);
const randoms = fc.uint8Array({ minLength: 6, maxLength: 6 });

test('[GEN1] an id is a UUIDv7 that contains its time and its slot', () => {
  fc.assert(
    fc.property(slots, times, counters, randoms, (slot, timeMs, counter, random) => {
      const id = composeId(slot, timeMs, counter, random);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(timeMs);
      expect(slotOf(id)).toBe(slot);
      expect(partitionOf(slotOf(id))).toBe(slot % PARTITIONS);
      expect(anyId.parse(id.toUpperCase())).toBe(id);
    }),
  );
});

test('[GEN1] ids of one slot ascend by time, then by counter, whatever their random bits', () => {
  fc.assert(
    fc.property(slots, fc.tuple(times, counters, randoms), fc.tuple(times, counters, randoms), (slot, one, other) => {
      const [first, second] = [composeId(slot, ...one), composeId(slot, ...other)];
      const order = one[0] - other[0] || one[1] - other[1];
      if (order !== 0) expect(first < second).toBe(order < 0);
    }),
  );
});

test('[PUB4] an id without its slot is equal for all slots, differs for different ids, and is a valid id', () => {
  fc.assert(
    fc.property(slots, slots, times, counters, randoms, (one, other, ...rest) => {
      const masked = withoutSlot(composeId(one, ...rest));
      expect(withoutSlot(composeId(other, ...rest))).toBe(masked);
      expect(anyId.parse(masked)).toBe(masked);
      const original = composeId(one, ...rest);
      expect(masked.slice(0, 15) + masked.slice(18)).toBe(original.slice(0, 15) + original.slice(18));
    }),
  );
});

test('[GEN1] partitions share the slots evenly', () => {
  const sizes = new Map<number, number>();
  for (let slot = 0; slot < SLOTS; slot++) sizes.set(partitionOf(slot), (sizes.get(partitionOf(slot)) ?? 0) + 1);
  expect(sizes.size).toBe(PARTITIONS);
  expect(new Set(sizes.values())).toEqual(new Set([SLOTS / PARTITIONS]));
});

test.each([
  ['00000000-0000-0000-0000-000000000000', true],
  ['6F9619FF-8B86-D011-B42D-00CF4FC964FF', true],
  ['6f9619ff8b86d011b42d00cf4fc964ff', false],
  ['{6f9619ff-8b86-d011-b42d-00cf4fc964ff}', false],
  ['6f9619ff-8b86-d011-b42d-00cf4fc964ff\n', false],
  ['', false],
  [5, false],
])('[GEN4] %j as an id is accepted: %s', (value, accepted) => {
  expect(anyId.safeParse(value).success).toBe(accepted);
});
