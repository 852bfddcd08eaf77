import { PARTITIONS } from '@taskgraph/wire/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desiredOwner } from './assignment.ts';

const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
const names = (count: number, prefix = 'worker-') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const idSets = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 12 });

describe('desiredOwner', () => {
  it('returns null without workers', () => {
    expect(desiredOwner(0, [])).toBeNull();
  });

  it('does not depend on the order of the workers', () => {
    fc.assert(
      fc.property(idSets, (ids) => {
        for (const partition of partitions) {
          expect(desiredOwner(partition, [...ids].reverse())).toBe(desiredOwner(partition, ids));
        }
      }),
    );
  });

  it('moves only the share of a worker that leaves', () => {
    fc.assert(
      fc.property(idSets, (ids) => {
        const [leaver, ...rest] = ids;
        for (const partition of partitions) {
          const before = desiredOwner(partition, ids);
          if (before !== leaver) expect(desiredOwner(partition, rest)).toBe(before);
        }
      }),
    );
  });

  it('spreads many partitions evenly for any names', () => {
    for (const prefix of ['worker-', 'taskgraph-worker-7d9f8b6c5-', '']) {
      for (const count of [2, 3, 4, 8]) {
        const shares = new Map<string, number>();
        for (let partition = 0; partition < 4096; partition++) {
          const owner = desiredOwner(partition, names(count, prefix)) ?? '';
          shares.set(owner, (shares.get(owner) ?? 0) + 1);
        }
        for (const share of shares.values()) expect(Math.abs((share * count) / 4096 - 1)).toBeLessThan(0.15);
        expect(shares.size).toBe(count);
      }
    }
  });
});
