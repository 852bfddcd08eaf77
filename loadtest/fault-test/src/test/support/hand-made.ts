// A hand-made history without anomalies, which tests of the checker spoil.
import type { Batch, Change, Command, History, Outcome, StoredData } from '../../history/history.ts';

const ANN = { id: 'ann', email: 'ann@example.com' };
const BOB = { id: 'bob', email: 'bob@example.com' };

export interface RunRecords {
  history: { -readonly [K in keyof History]: History[K] };
  stored: { -readonly [K in keyof StoredData]: StoredData[K] };
}

/** This number of minutes after the beginning, by the service's clock. */
export const timeOf = (minutes: number) => new Date(minutes * 60_000).toISOString();
export const command = (key: string, at: number, more: Partial<Command> = {}): Command => ({
  key,
  client: 'c',
  user: 'ann',
  event: 'node:update',
  payload: {},
  calledMs: at,
  endedMs: at + 5,
  outcome: { kind: 'done', batch: `b-${key}`, versions: [] },
  ...more,
});
export const batch = (
  key: string,
  feeds: Record<string, number>,
  changes: Change[],
  more: Partial<Batch> = {},
): Batch => ({
  id: `b-${key}`,
  ts: timeOf(0),
  key: `ann:${key}`,
  event: 'node:update',
  changes,
  feeds,
  ...more,
});
export const rename = (id: string, version: number, title: string): Change => ({
  kind: 'node',
  id,
  before: { version: version - 1 },
  after: { version, title },
});
export const added = (id: string, key: string, target?: string): Change[] => [
  { kind: 'node', id, before: null, after: { ownerId: 'ann', version: 1, inTrash: false, title: key } },
  ...(target === undefined
    ? []
    : ([
        {
          kind: 'link',
          id: `l-${id}`,
          before: null,
          after: { ownerId: 'ann', source: id, target, version: 1, inTrash: false },
        },
      ] as Change[])),
];
export const grant = (level: number | null): Change => ({
  kind: 'grant',
  id: 'root',
  email: BOB.email,
  before: null,
  after: level === null ? null : { level },
});

/**
 * Ann creates a root and a child, shares the root with Bob, renames the child, revokes the grant,
 * and renames the child again.
 */
export function good(): RunRecords {
  const steps: [string, Change[], Partial<Command>][] = [
    ['add-root', added('root', 'add-root'), { event: 'node:add' }],
    ['add-child', added('child', 'add-child', 'root'), { event: 'node:add', payload: { target: 'root' } }],
    ['share', [grant(2)], { event: 'node:access', payload: { id: 'root' } }],
    ['rename', [rename('child', 2, 'rename')], { payload: { id: 'child', version: 1 } }],
    ['revoke', [grant(null)], { event: 'node:access:delete', payload: { id: 'root' } }],
    ['again', [rename('child', 3, 'again')], { payload: { id: 'child' } }],
  ];
  const shared: Readonly<Record<string, Record<string, number>>> = {
    'add-child': {},
    share: { 'user:bob': 1 },
    rename: { 'root:root': 1 },
    revoke: { 'user:bob': 2 },
    again: { 'root:root': 2 },
  };
  const commands = steps.map(([key, , more], index) => command(key, index * 10, more));
  const batches = steps.map(([key, changes, { event = 'node:update' }], index) =>
    batch(key, { 'user:ann': index + 1, ...shared[key] }, changes, { event }),
  );
  const pushes = batches.map(({ id, feeds, changes }) => ({
    feed: 'user:ann',
    seq: feeds['user:ann'] as number,
    batch: id,
    versions: changes
      .filter(({ kind }) => kind !== 'grant')
      .map((each) => ({ id: each.id, version: Number(each.after?.version) })),
  }));
  const read = (user: string, at: number, seen: Record<string, number>) => ({
    client: 'r',
    user,
    calledMs: at,
    endedMs: at + 3,
    seen: Object.entries(seen).map(([id, version]) => ({ id, version })),
  });
  return {
    history: {
      clock: { epochMs: 0, storedMs: 0, isSet: false },
      commands,
      claims: [],
      reads: [
        read('ann', 16, { root: 1, child: 1, 'l-child': 1 }),
        read('bob', 16, {}),
        read('bob', 36, { root: 1, child: 2, 'l-child': 1 }),
        read('bob', 56, {}),
      ],
      connections: [
        { client: 'ann/0', user: 'ann', pushes },
        {
          client: 'bob/0',
          user: 'bob',
          pushes: [{ feed: 'root:root', seq: 1, batch: 'b-rename', versions: [{ id: 'child', version: 2 }] }],
        },
      ],
      replicas: [
        {
          client: 'w',
          user: 'bob',
          shown: [{ id: 'child', version: 1 }],
          last: { own: 'same' },
          read: { own: 'same' },
        },
      ],
      webhooks: [],
    },
    stored: {
      users: [ANN, BOB],
      batches,
      entries: batches.flatMap(({ feeds }) => Object.entries(feeds).map(([feed, seq]) => ({ feed, seq }))),
    },
  };
}

export const outcomeOf = (records: RunRecords, key: string, outcome: Outcome) => {
  records.history.commands = records.history.commands.map((each) => (each.key === key ? { ...each, outcome } : each));
};
export const storeToo = (records: RunRecords, more: Batch) => {
  records.stored.batches = [...records.stored.batches, more];
  records.stored.entries = [
    ...records.stored.entries,
    ...Object.entries(more.feeds).map(([feed, seq]) => ({ feed, seq })),
  ];
};
