import { slotOf } from '@taskgraph/wire/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdFactory } from './ids.ts';

describe('createIdFactory', () => {
  it('creates ascending, unique ids that contain their slot', () => {
    const newId = createIdFactory();
    const ids = Array.from({ length: 50_000 }, () => newId(4095));
    expect(ids.every((id) => slotOf(id) === 4095)).toBe(true);
    expect(ids.every((id, index) => index === 0 || id > ids[index - 1]!)).toBe(true);
  });

  it('keeps the order under any clock change', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 }), (times) => {
        let index = 0;
        const newId = createIdFactory({ nowMs: () => 1_700_000_000_000 + times[index++]! });
        const ids = times.map(() => newId(7));
        expect([...ids].sort()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it('continues in the next millisecond when one is full', () => {
    const newId = createIdFactory({ nowMs: () => 1_700_000_000_000, randomBytes: (size) => new Uint8Array(size) });
    const ids = Array.from({ length: 40_000 }, () => newId(0));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('reads random bytes in pools', () => {
    let calls = 0;
    const newId = createIdFactory({
      randomBytes(size) {
        calls++;
        return new Uint8Array(size);
      },
    });
    for (let count = 0; count < 1_000; count++) newId(0);
    expect(calls).toBe(2);
  });
});
