// Clients that read only changes end with the current graph, after any changes of three users to
// each other's trees.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { runs, timeFor } from '@taskgraph/testkit/runs';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import type { Diff, PageLink, WireNode } from '@taskgraph/wire/entities';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';

let database: Database;
let worker: TestWorker;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
afterAll(() => database.close());

const USERS = 3;
const NOBODYS = '00000000-0000-7000-8000-000000000000';
const KINDS = [
  'add',
  'add',
  'add',
  'child',
  'child',
  'update',
  'complete',
  'link',
  'link',
  'link',
  'private',
  'trashNode',
  'restoreNode',
  'deleteNode',
  'trashLink',
  'restoreLink',
  'swap',
  'undo',
  'share',
  'share',
  'share',
  'shareOne',
  'unshare',
  'hide',
  'show',
  'publish',
] as const;

interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly who: number;
  /** Indexes into the present nodes, links and users. */
  readonly one: number;
  readonly other: number;
  /** The users who then read changes, as bits. */
  readonly asking: number;
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom(...KINDS),
    who: fc.nat(USERS - 1),
    one: fc.nat(11),
    other: fc.nat(11),
    asking: fc.nat(7),
  }),
  { minLength: 20, maxLength: 60 },
);

interface Thing {
  readonly id: string;
  /** The index of its creator. */
  readonly by: number;
}

/** The entities made so far. */
interface NewEntities {
  readonly nodes: Thing[];
  readonly links: Thing[];
  readonly batches: Thing[];
}

/**
 * The command of a step and its actor, mostly the creator of its entity, who has the most rights.
 */
function commandOf(step: Step, users: readonly ActingUser[], made: NewEntities): [number, string, object] {
  const { kind, one, other } = step;
  const pick = (list: readonly Thing[], index: number) => list[index % list.length] ?? { id: NOBODYS, by: step.who };
  const node = pick(made.nodes, one);
  const link = pick(made.links, one);
  const batch = pick([...made.batches].reverse(), one);
  const second = pick(
    made.nodes.filter(({ id }) => id !== node.id),
    other,
  );
  const by = (thing: Thing) => (other % 4 === 0 ? step.who : thing.by);
  const user = users[(node.by + 1 + (other % (USERS - 1))) % USERS] as ActingUser;
  const [id, email] = [node.id, user.email];
  switch (kind) {
    case 'add':
      return [step.who, 'node:add', { title: `${one}` }];
    case 'child':
      return [by(node), 'node:add', { target: id, title: `below ${one}` }];
    case 'update':
      return [by(node), 'node:update', { id, title: `${other}` }];
    case 'complete':
      return [by(node), 'node:update', { id, status: 3 }];
    case 'link':
      return [by(node), 'link:add', { source: id, target: second.id, type: other % 2, private: other % 7 === 0 }];
    case 'private':
      return [by(link), 'link:update', { id: link.id, private: other % 2 === 0 }];
    case 'trashNode':
      return [by(node), 'node:trash', { id }];
    case 'restoreNode':
      return [by(node), 'node:restore', { id }];
    case 'deleteNode':
      return [node.by, 'node:delete', { id }];
    case 'trashLink':
      return [by(link), 'link:trash', { id: link.id }];
    case 'restoreLink':
      return [by(link), 'link:restore', { id: link.id }];
    case 'swap':
      return [by(link), 'link:swap', { id: link.id }];
    case 'undo':
      return [by(batch), 'batch:undo', { batchId: batch.id }];
    case 'share':
      return [by(node), 'node:access', { id, email, level: Level.EDITOR }];
    case 'shareOne':
      return [by(node), 'node:access', { id, email, level: Level.EDITOR, branch: false }];
    case 'unshare':
      return [by(node), 'node:access:delete', { id, email }];
    case 'hide':
    case 'show':
      return [users.indexOf(user), 'node:showing', { id, showing: kind === 'show' }];
    case 'publish':
      return [by(node), 'node:publish', { id, branch: other % 2 === 0 }];
  }
}

/** The state of a client, and its position. */
interface ClientState {
  position: string;
  readonly nodes: Map<string, object>;
  readonly links: Map<string, object>;
}

/**
 * The compared fields. Level and share roots can change without the node; clients derive them from
 * their feeds.
 */
function plain({ access: _access, shareRoots: _roots, ...node }: WireNode): object {
  return node;
}

function plainLink({ id, source, target, type, version, wasBlocker, private: isPrivate }: PageLink): object {
  return { id, source, target, type, version, wasBlocker, private: isPrivate };
}

async function readAll(user: ActingUser): Promise<ClientState> {
  const page = await worker.read(user, 'graph:get', { limit: 5_000 });
  expect(page.hasMore).toBe(false);
  return {
    position: page.position as string,
    nodes: new Map((page.nodes as WireNode[]).map((node) => [node.id, plain(node)])),
    links: new Map((page.links as PageLink[]).map((link) => [link.id, plainLink(link)])),
  };
}

interface Changes {
  readonly position: string;
  readonly hasMore: boolean;
  readonly nodes: readonly WireNode[];
  readonly links: readonly PageLink[];
  readonly gone: { readonly nodes: readonly string[]; readonly links: readonly string[] };
  readonly feeds: { readonly lost: readonly string[] };
}

/** Catches up by changes alone. Only for lost feeds does the client ask which nodes are left. */
async function catchUp(user: ActingUser, held: ClientState): Promise<void> {
  const fresh = await readAll(user);
  const answer = (await worker.read(user, 'changes:get', { since: held.position })) as unknown as Changes;
  expect(answer).toMatchObject({ hasMore: false });
  for (const node of answer.nodes) held.nodes.set(node.id, plain(node));
  for (const link of answer.links) held.links.set(link.id, plainLink(link));
  for (const id of answer.gone.nodes) held.nodes.delete(id);
  for (const id of answer.gone.links) held.links.delete(id);
  if (answer.feeds.lost.length > 0) {
    for (const id of held.nodes.keys()) if (!fresh.nodes.has(id)) held.nodes.delete(id);
  }
  for (const [id, link] of held.links) {
    const { source, target } = link as PageLink;
    if (!held.nodes.has(source) || !held.nodes.has(target)) held.links.delete(id);
  }
  held.position = answer.position;
  expect(sorted(held.nodes)).toEqual(sorted(fresh.nodes));
  expect(sorted(held.links)).toEqual(sorted(fresh.links));
}

function sorted(entities: ReadonlyMap<string, object>): object[] {
  return [...entities].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entity]) => entity);
}

async function runSteps(list: readonly Step[]): Promise<void> {
  const users = await Promise.all(['ada', 'bob', 'carol'].map((name) => makeUser(database, name)));
  const held = await Promise.all(users.map(readAll));
  const made: NewEntities = { nodes: [], links: [], batches: [] };
  for (const step of [...BEGINNING, ...list]) {
    const [who, event, payload] = commandOf(step, users, made);
    const reply = await worker.send(users[who] as ActingUser, event, payload);
    if (reply.ok) note(made, who, reply.body.diff as Diff);
    else if (reply.error.startsWith('internal')) throw new Error(`${event}: ${reply.message}`);
    for (const [index, user] of users.entries()) {
      if (step.asking & (1 << index)) await catchUp(user, held[index] as ClientState);
    }
  }
  for (const [index, user] of users.entries()) await catchUp(user, held[index] as ClientState);
}

/** Each user starts with a tree of two nodes. */
const BEGINNING: readonly Step[] = [0, 1, 2].flatMap((who) => [
  { kind: 'add', who, one: 0, other: 1, asking: 0 },
  { kind: 'child', who, one: 2 * who, other: 1, asking: 0 },
]);

function note(made: NewEntities, by: number, { batchId, nodes, links }: Diff): void {
  if (batchId) made.batches.push({ id: batchId, by });
  for (const [list, entries] of [
    [made.nodes, nodes],
    [made.links, links],
  ] as const) {
    for (const { before, after } of entries) {
      const id = (after.id ?? before.id) as string;
      if (list.every((known) => known.id !== id)) list.push({ id, by });
    }
  }
}

test(
  '[EVT2] the changes applied to the previous state give the current state',
  async () => {
    await fc.assert(fc.asyncProperty(steps, runSteps), { numRuns: runs(2) });
  },
  timeFor(600_000),
);

test('[EVT2] a link whose ends a third user reads by one feed reaches readers of its ends by two', async () => {
  const shared = { kind: 'shareOne', who: 0, one: 1, other: 0, asking: 2 } as const;
  const linked = { kind: 'link', who: 1, one: 2, other: 1, asking: 2 } as const;
  await runSteps([shared, linked]);
});
