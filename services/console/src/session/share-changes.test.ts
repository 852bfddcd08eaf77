import type { Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { recordedShares, recordShares } from './share-changes.ts';

test('[CON15] the oldest tasks whose shares changed are forgotten', () => {
  let listener: (slice: object) => void = () => undefined;
  const replica = {
    on(_kind: string, added: (slice: object) => void) {
      listener = added;
      return () => undefined;
    },
  } as unknown as Pick<Replica, 'on'>;
  recordShares(replica);
  const access = Array.from({ length: 10_005 }, (_, number) => ({ before: {}, after: { id: String(number) } }));
  listener({ access });
  listener({ access: [{ before: { id: '5' }, after: {} }] });
  listener({ access: [{ before: {}, after: { id: 'new' } }] });
  const ids = recordedShares(replica);
  expect(ids.size).toBe(10_000);
  expect(['4', '5', '6', 'new'].map((id) => ids.has(id))).toEqual([false, true, false, true]);
});
