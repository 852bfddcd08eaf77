// Three users share, link, trash, publish and undo at random. Each step runs in memory with
// everything loaded, and on a worker with a real Neo4j: decision, stored state and answer must be
// equal.

import { ann, bob, createScenario, cy, type Result } from '@taskgraph/commands/test/support/scenario';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { runs } from '@taskgraph/testkit/runs';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const USERS = [ann, bob, cy] as const;

/** Two nodes of each user and some grants between them, so that most steps have an effect. */
const PRELUDE: readonly Step[] = [
  ...[0, 1, 2, 0, 1, 2].map((by) => prelude({ by, event: 'node:add', alone: true })),
  ...[0, 1, 2].map((by) => prelude({ by, event: 'node:add', node: by })),
  prelude({ by: 0, event: 'node:access', node: 0, user: 1, level: 2, flag: true }),
  prelude({ by: 1, event: 'node:access', node: 1, user: 0, level: 3, flag: true }),
  prelude({ by: 2, event: 'node:access', node: 2, user: 0, level: 1, flag: true }),
];

function prelude(fields: Partial<Step> & Pick<Step, 'by' | 'event'>): Step {
  return { node: 0, other: 0, link: 0, batch: 0, user: 0, level: 1, flag: false, alone: false, ...fields };
}

/** The entities of a step by number: nodes, links and batches in order of creation. */
interface Step {
  readonly by: number;
  readonly event: string;
  readonly node: number;
  readonly other: number;
  readonly link: number;
  readonly batch: number;
  readonly user: number;
  readonly level: number;
  readonly flag: boolean;
  readonly alone: boolean;
}

const EVENTS: readonly [event: string, weight: number][] = [
  ['node:add', 8],
  ['node:update', 3],
  ['node:trash', 3],
  ['node:restore', 3],
  ['node:delete', 1],
  ['link:add', 12],
  ['link:update', 2],
  ['link:swap', 2],
  ['link:trash', 3],
  ['link:restore', 3],
  ['link:delete', 1],
  ['node:access', 8],
  ['node:access:update', 3],
  ['node:access:delete', 2],
  ['node:showing', 1],
  ['node:publish', 1],
  ['node:publish:update', 1],
  ['node:unpublish', 1],
  ['batch:undo', 4],
  ['batch:redo', 3],
];
const event = fc.oneof(...EVENTS.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) })));
const small = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.record({
  by: fc.nat({ max: 2 }),
  event,
  node: small,
  other: small,
  link: small,
  batch: fc.nat({ max: 30 }),
  user: fc.nat({ max: 2 }),
  level: fc.integer({ min: 1, max: 3 }),
  flag: fc.boolean(),
  alone: fc.boolean(),
});

/** The ids of one side, in order of creation. */
interface NewEntities {
  readonly nodes: string[];
  readonly links: string[];
  readonly batches: string[];
}

function payloadOf(one: Step, made: NewEntities, users: readonly ActingUser[]): object | null {
  const pick = (list: readonly string[], at: number) => list[at % Math.max(list.length, 1)];
  const node = pick(made.nodes, one.node);
  const other = pick(made.nodes, one.other);
  const link = pick(made.links, one.link);
  const email = users[one.user]?.email;
  const grant = { level: one.level, branch: one.flag };
  switch (one.event) {
    case 'node:add':
      return one.alone || node === undefined ? { title: 'alone' } : { target: node, title: 'child' };
    case 'node:update':
      return one.flag ? { id: node, title: `t${one.level}` } : { id: node, status: one.alone ? 3 : 1 };
    case 'link:add':
      return { source: node, target: other, type: one.level % 2, private: one.alone && one.flag };
    case 'link:update':
      return one.flag ? { id: link, private: one.alone } : { id: link, type: one.level % 2 };
    case 'node:access':
      return { id: node, email, ...grant };
    case 'node:access:update':
      return { id: node, email, ...(one.alone ? grant : { level: one.level }) };
    case 'node:access:delete':
      return { id: node, email };
    case 'node:showing':
      return { id: node, showing: one.flag };
    case 'node:publish':
    case 'node:publish:update':
      return { id: node, branch: one.flag };
    case 'batch:undo':
    case 'batch:redo':
      return { batchId: pick(made.batches, one.batch) };
    default:
      return { id: one.event.startsWith('link:') ? link : node };
  }
}

/** Replaces known ids by numbers, so that the two sides can be compared. */
function numbered(value: unknown, made: NewEntities, users: readonly ActingUser[]): unknown {
  const names = new Map<string, string>();
  made.nodes.forEach((id, at) => void names.set(id, `n${at}`));
  made.links.forEach((id, at) => void names.set(id, `l${at}`));
  made.batches.forEach((id, at) => void names.set(id, `b${at}`));
  for (const [at, { id, email }] of users.entries()) names.set(id, `u${at}`).set(email, `e${at}`);
  const text = JSON.stringify(value ?? null);
  // Longer ids first: an e-mail may contain an id.
  const known = [...names.keys()].filter((name) => text.includes(name)).sort((a, b) => b.length - a.length);
  return JSON.parse(known.reduce((whole, id) => whole.replaceAll(id, names.get(id) as string), text));
}

const NOISE = new Set([
  'ts',
  'createdTime',
  'lastEditedTime',
  'completedTime',
  'publicToken',
  'actor',
  'ownerUsername',
  'trace_id',
  'ownerEmail',
]);

/** A diff without times and tokens, with sorted lists. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(comparable).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !NOISE.has(name));
  return Object.fromEntries(entries.sort().map(([name, item]) => [name, comparable(item)]));
}

async function compare(steps: readonly Step[]): Promise<void> {
  const scene = createScenario();
  const worker = startTestWorker(database);
  const users = await Promise.all(USERS.map(({ username }) => makeUser(database, username)));
  const [pure, stored]: [NewEntities, NewEntities] = [
    { nodes: [], links: [], batches: [] },
    { nodes: [], links: [], batches: [] },
  ];
  for (const one of [...PRELUDE, ...steps]) {
    const outcome = scene.run(one.event, payloadOf(one, pure, USERS) ?? {}, USERS[one.by]);
    worker.slices.length = 0;
    const reply = await worker.send(users[one.by] as ActingUser, one.event, payloadOf(one, stored, users) ?? {});
    const code = reply.ok ? null : reply.error;
    expect([one.event, code]).toEqual([one.event, outcome.error]);
    if (!reply.ok || outcome.changes.length === 0) continue;
    await note(outcome, reply.body, { pure, stored, worker });
    const view = (diff: unknown, made: NewEntities, all: readonly ActingUser[]) =>
      comparable(numbered(diff, made, all));
    const { nodes, links, access } = outcome.diff;
    const told = reply.body.diff as Record<string, unknown>;
    if (!one.event.startsWith('batch:')) {
      expect(view({ nodes: told.nodes, links: told.links, access: told.access }, stored, users)).toEqual(
        view({ nodes, links, access }, pure, USERS),
      );
    }
    expect(view(slicesOf(worker.slices), stored, users)).toEqual(view(slicesIn(outcome), pure, USERS));
  }
  await compareStates(scene, pure, { users, stored });
}

/** Records the new entities. A command creates at most one node and one link. */
async function note(
  outcome: Result,
  body: Record<string, unknown>,
  { pure, stored }: { pure: NewEntities; stored: NewEntities; worker: TestWorker },
): Promise<void> {
  const batchId = (body.batchId ?? (body.diff as { batchId: string }).batchId) as string;
  const [row] = await database.read('MATCH (b:Batch {id: $id}) RETURN b.changes AS changes', { id: batchId });
  const changes = JSON.parse(row?.changes as string) as { kind: string; id: string; before: object | null }[];
  pure.batches.push(outcome.batchId);
  stored.batches.push(batchId);
  for (const [kind, list] of [
    ['node', 'nodes'],
    ['link', 'links'],
  ] as const) {
    for (const change of outcome.changes) {
      if (change.kind === kind && change.before === null) pure[list].push(change.id);
    }
    for (const change of changes) if (change.kind === kind && change.before === null) stored[list].push(change.id);
  }
}

function slicesOf(slices: readonly SliceMessage[]): object[] {
  return slices.map(({ feed, diff, access = [] }) => ({
    feed,
    access,
    ids: [...(diff.nodes as never[]), ...(diff.links as never[]), ...(diff.access as never[])].map(idOfEntry),
    joined: diff.joined ?? null,
    left: diff.left ?? null,
  }));
}

function idOfEntry(entry: { op: number; before: { id?: string }; after: { id?: string } }): unknown {
  return [entry.op, entry.after.id ?? entry.before.id];
}

function slicesIn({ slices }: Result): object[] {
  return [...slices].map(([feed, { changes, joined, left, access }]) => ({
    feed,
    access,
    ids: changes.map(({ op, id }) => [op, id]),
    joined: joined.nodes.length + joined.links.length > 0 ? joined : null,
    left: left.nodes.length + left.links.length > 0 ? left : null,
  }));
}

async function compareStates(
  scene: ReturnType<typeof createScenario>,
  pure: NewEntities,
  { users, stored }: { users: readonly ActingUser[]; stored: NewEntities },
): Promise<void> {
  const rows = await database.read(
    'UNWIND $ids AS id MATCH (n:Node {id: id}) RETURN n.id AS id, [(n)-[m:IN]->() | m.feed] AS feeds, n.version AS version',
    { ids: stored.nodes },
  );
  const here = rows.map(({ id, feeds, version }) => [id, feeds, version]);
  const there = [...scene.nodes.values()].map(({ id, version }) => [
    id,
    [...(scene.members.get(id)?.keys() ?? [])],
    version,
  ]);
  expect(comparable(numbered(here, stored, users))).toEqual(comparable(numbered(there, pure, USERS)));
}

test('[ACL1 ACL2 ACL3 ACL4 ACL9 NODE3 LNK2 LNK6 LNK7 LNK8 TRS2 PUB1 HIS2 HIS3 HIS4 HIS5 EVT1 EVT2] a worker decides, publishes and stores the same as the pipeline in memory', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), compare), {
    numRuns: runs(4),
  });
  expect(await findInconsistencies(database)).toEqual([]);
});
