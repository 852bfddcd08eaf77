import type { Change } from '@taskgraph/domain/state/change';
import { expect, test } from 'vitest';
import { newExpirations } from './new-expirations.ts';

const [SOON, LATER] = ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'];

function grant(before: object | null, after: object | null): Change {
  const whole = (state: object | null) => state && { nodeId: 'n', email: 'a@b', due: null, copyOf: null, ...state };
  return {
    kind: 'grant',
    op: 21,
    id: 'n',
    before: whole(before),
    after: whole(after),
    fields: [],
  } as unknown as Change;
}

function node(before: object | null, after: object | null): Change {
  const whole = (state: object | null) => state && { id: 'n', publicToken: null, publicDue: null, ...state };
  return { kind: 'node', op: 6, id: 'n', before: whole(before), after: whole(after), fields: [] } as unknown as Change;
}

test('[ACL5] each new end time of a node is listed once', () => {
  expect(newExpirations([grant(null, { due: SOON }), node({}, { publicToken: 't', publicDue: SOON })])).toEqual([
    { nodeId: 'n', due: SOON },
  ]);
  expect(newExpirations([grant({ due: SOON }, { due: LATER })])).toEqual([{ nodeId: 'n', due: LATER }]);
});

test('[ACL5] access without an end, with an unchanged end or that was removed is not listed', () => {
  const changes = [
    grant(null, {}),
    grant({ due: SOON }, { due: SOON, level: 2 }),
    grant({ due: SOON }, null),
    node({ publicToken: 't', publicDue: SOON }, { publicToken: 't', publicDue: SOON }),
    node({ publicToken: 't', publicDue: SOON }, {}),
  ];
  expect(newExpirations(changes)).toEqual([]);
});

test('[NODE3] a copy ends with its original', () => {
  expect(newExpirations([grant(null, { due: SOON, copyOf: 'm' })])).toEqual([]);
});
