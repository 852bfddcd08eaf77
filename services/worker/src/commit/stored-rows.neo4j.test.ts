// Groups of random commands of several users on the same few entities, by two workers: after each,
// a reload brings what was decided, and what either of them remembers.

import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { definitionOf, systemDefinitionOf } from '@taskgraph/commands/commands';
import type { AnyDefinition } from '@taskgraph/commands/pipeline/command';
import type { HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import { statementFor } from '@taskgraph/graph-store/commit/load/statement';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { runs, timeFor } from '@taskgraph/testkit/runs';
import { type ActingUser, SYSTEM } from '@taskgraph/wire/actor';
import { isRefusal } from '@taskgraph/wire/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';
import { findInconsistencies } from '../test/support/integrity-checker.ts';
import { findStale } from '../test/support/stale-cache.ts';
import { findUnwritten } from '../test/support/stored-rows.ts';
import { createGraphCache } from './cache/graph-cache.ts';
import { commitGroup } from './commit-group.ts';
import type { CacheOutcome, GroupOutcome } from './group-environment.ts';
import { type GroupModes, groupModes } from './group-modes.ts';
import { type Job, jobOf } from './job.ts';
import { createOwnerCache } from './owner-cache.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

const CACHE_BYTES = 16 * 1024 * 1024;

/** A command of a group. */
interface Command {
  readonly by: ActingUser;
  readonly event: string;
  readonly payload: object;
}

/** A worker as far as its groups go: two share nothing but the database. */
function startMember(historyForm: HistoryForm) {
  return { owners: createOwnerCache(), graphCache: createGraphCache(CACHE_BYTES), historyForm };
}

/**
 * Commits groups one after another, each as one transaction by one of two workers, and compares
 * after each.
 */
function startComparing() {
  const members = [startMember('merged'), startMember('separate')] as const;
  const outcomes = { did: 0, lacked: 0, stale: 0 };
  let nowMs = Date.now();
  const { large, together } = groupModes(60_000);
  const modes: GroupModes = { large, together };
  const commitJobs = async (at: 0 | 1, jobs: readonly Job[], mode = modes.together): Promise<void> => {
    const done: GroupOutcome[] = [];
    const environment = {
      ...members[at],
      database,
      newId,
      newToken: newPublicToken,
      nowMs: () => nowMs,
      longestOpenMs: 3_600_000,
      loadStatementFor: statementFor,
      publish: () => undefined,
      onUnpublished: (error: unknown) => {
        throw error;
      },
      onGroup: (group: GroupOutcome) => void done.push(group),
      onCacheOutcome: (outcome: CacheOutcome) => void outcomes[outcome]++,
    };
    const left = await commitGroup(jobs, mode, environment);
    for (const group of done) expect(await findUnwritten(database, group)).toEqual([]);
    // One that asks for more in each of its rounds goes alone, and those after it together again.
    const [first, ...others] = [...left.stuck, ...left.later];
    if (first !== undefined) await commitJobs(at, [first], modes.large);
    if (others.length > 0) await commitJobs(at, others);
  };
  return {
    members,
    outcomes,
    async commit(commands: readonly Command[], at: 0 | 1 = 0): Promise<Reply[]> {
      nowMs += 1_000;
      const replies: Reply[] = [];
      const jobs = commands.flatMap(({ by, event, payload }) => {
        const definition = (by === SYSTEM ? systemDefinitionOf(event) : definitionOf(event)) as AnyDefinition;
        const message = { id: newId(0), event, payload: { ...payload }, actor: by, key: null };
        const whole = { ...message, deadline: nowMs + 60_000, traceId: 'test' };
        const job = jobOf(whole, definition, (reply) => void replies.push(reply));
        return isRefusal(job) ? [] : [job];
      });
      await commitJobs(at, jobs);
      return replies;
    },
  };
}

/**
 * A command by numbers; what it names is picked on the state before its group, so that several of
 * one group name the same.
 */
interface Step {
  readonly event: string;
  readonly by: number;
  readonly near: boolean;
  readonly a: number;
  readonly b: number;
  readonly level: number;
  readonly flag: boolean;
}

const EVENTS: readonly [event: string, weight: number][] = [
  ['node:add', 2] as const,
  ['node:update', 4] as const,
  ['node:trash', 6] as const,
  ['node:restore', 6] as const,
  ['node:delete', 1] as const,
  ['link:add', 6] as const,
  ['link:update', 2] as const,
  ['link:swap', 3] as const,
  ['link:trash', 6] as const,
  ['link:restore', 5] as const,
  ['link:delete', 1] as const,
  ['node:access', 6] as const,
  ['node:access:update', 3] as const,
  ['node:access:delete', 4] as const,
  ['node:showing', 6] as const,
  ['node:publish', 1] as const,
  ['node:publish:update', 1] as const,
  ['node:unpublish', 1] as const,
  ['batch:undo', 5] as const,
  ['batch:redo', 4] as const,
  ['node:expire', 2] as const,
  ['node:purge', 1] as const,
  ['link:purge', 1] as const,
].map(([event, weight]) => [event, weight]);

const number = fc.nat({ max: 99 });
const step: fc.Arbitrary<Step> = fc.record({
  event: fc.oneof(...EVENTS.map(([event, weight]) => ({ weight, arbitrary: fc.constant(event) }))),
  by: fc.nat({ max: 5 }),
  near: fc.boolean(),
  a: number,
  b: number,
  level: fc.integer({ min: 1, max: 3 }),
  flag: fc.boolean(),
});
/**
 * Cases that rarely come about by chance: steps that share their numbers, and so their entities, in
 * one group.
 */
const COMBINATIONS: readonly (readonly (Partial<Step> & Pick<Step, 'event'>)[])[] = [
  ['node:trash', 'link:trash', 'node:restore', 'link:restore', 'node:trash'].map((event) => ({ event })),
  ['node:trash', 'link:trash', 'node:restore', 'node:restore'].map((event) => ({ event })),
  ['link:swap', 'node:trash', 'link:trash', 'link:delete'].map((event) => ({ event })),
  [
    { event: 'node:showing', flag: false },
    { event: 'node:access:delete' },
    { event: 'node:access', flag: true },
    { event: 'node:showing', flag: false },
    { event: 'node:access:delete' },
    { event: 'node:access', flag: true },
  ],
  [
    { event: 'node:access', flag: true },
    { event: 'node:showing', flag: false },
    { event: 'node:access', flag: true },
  ],
  ['batch:undo', 'batch:redo', 'batch:undo'].map((event) => ({ event })),
  ['node:access:delete', 'node:expire', 'node:access', 'node:trash', 'node:restore'].map((event) => ({ event })),
];
const combined = fc
  .record({ steps: fc.constantFrom(...COMBINATIONS), shared: step })
  .map(({ steps, shared }) => steps.map((own): Step => ({ ...shared, by: 0, near: true, ...own })));

/** Owners who work on their own entities, mostly from the cache. */
const OWN = ['node:add', 'node:update', 'node:update', 'link:add', 'link:trash', 'link:swap'];
const own = fc.array(
  fc
    .record({ event: fc.constantFrom(...OWN), shared: step })
    .map(({ event, shared }): Step => ({ ...shared, by: 0, event })),
  { minLength: 1, maxLength: 2 },
);

/** Each group concerns two nodes and the links between them. */
const several = fc.array(step, { minLength: 2, maxLength: 9, size: 'max' });
const group = fc.record({
  one: number,
  other: number,
  at: fc.constantFrom<0 | 1>(0, 0, 1),
  steps: fc.oneof({ weight: 3, arbitrary: several }, { weight: 2, arbitrary: combined }, { weight: 4, arbitrary: own }),
});
type Group = typeof group extends fc.Arbitrary<infer T> ? T : never;

interface Present {
  readonly nodes: readonly { id: string; ownerId: string }[];
  readonly links: readonly { id: string; ownerId: string; source: string; target: string }[];
  readonly grants: readonly { id: string; email: string }[];
  readonly batches: readonly { id: string; actorId: string }[];
}

async function lookAt(users: readonly ActingUser[]): Promise<Present> {
  const [row] = await database.read(
    `MATCH (n:Node) USING INDEX SEEK n:Node(ownerId, inTrash, id)
     WHERE n.ownerId IN $ids AND n.inTrash IN [false, true] AND n.id > ''
     WITH collect(n) AS own
     CALL (own) { UNWIND own AS n WITH n ORDER BY n.id RETURN collect({id: n.id, ownerId: n.ownerId}) AS nodes }
     CALL (own) { UNWIND own AS a MATCH (a)-[r:BLOCKS|RELATES|TRASHED]->(b:Node) WITH a, r, b ORDER BY r.id
       RETURN collect({id: r.id, ownerId: r.ownerId, source: a.id, target: b.id}) AS links }
     CALL (own) { UNWIND own AS n MATCH (p:Principal)-[g:GRANT]->(n) WITH p, n, g ORDER BY g.key
       RETURN collect({id: n.id, email: p.email}) AS grants }
     CALL () { MATCH (b:Batch) WHERE b.actorId IN $ids WITH b ORDER BY b.ts DESC, b.id DESC LIMIT 12
       RETURN collect({id: b.id, actorId: b.actorId}) AS batches }
     RETURN nodes, links, grants, batches`,
    { ids: users.map(({ id }) => id) },
  );
  return row as unknown as Present;
}

/** Mostly by a permitted user: the owner of the entity, or the grantee. */
function commandOf(
  one: Step,
  { one: here, other: there }: Group,
  users: readonly ActingUser[],
  present: Present,
): Command {
  const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(list.length, 1)];
  const node = pick(present.nodes, one.near ? here : one.a);
  const other = pick(present.nodes, one.near ? there : one.b);
  const between = present.links.filter(({ source, target }) =>
    [source, target].every((id) => id === node?.id || id === other?.id),
  );
  const on = present.links.filter(({ source, target }) => source === node?.id || target === node?.id);
  const link = pick(between.length > 0 && one.flag ? between : on.length > 0 ? on : present.links, one.a);
  const grant =
    pick(
      present.grants.filter(({ id }) => id === node?.id),
      one.b,
    ) ?? pick(present.grants, one.a);
  const batch = pick(present.batches, one.a % 4);
  const userOf = (found: (user: ActingUser) => boolean) => users.find(found) ?? (users[0] as ActingUser);
  const byId = (id: string | undefined) =>
    one.by < 3 ? userOf((user) => user.id === id) : (users[one.by - 3] as ActingUser);
  const make = (by: ActingUser, payload: object): Command => ({ by, event: one.event, payload });
  const email = (users[one.b % users.length] as ActingUser).email;
  switch (one.event) {
    case 'node:add':
      return make(byId(node?.ownerId), one.flag && node ? { target: node.id } : {});
    case 'node:update':
      return make(byId(node?.ownerId), {
        id: node?.id,
        ...(one.flag ? { status: one.level === 2 ? 3 : 0 } : { independent: one.level === 1 }),
      });
    case 'link:add':
      return make(byId(node?.ownerId), {
        source: node?.id,
        target: other?.id,
        type: one.level % 2,
        private: one.level === 3 && one.flag,
      });
    case 'link:update':
      return make(byId(link?.ownerId), {
        id: link?.id,
        ...(one.flag ? { private: one.level === 1 } : { type: one.level % 2 }),
      });
    case 'node:access':
      return make(byId(node?.ownerId), {
        id: node?.id,
        email: one.flag ? (grant?.email ?? email) : email,
        level: one.level,
        branch: one.a % 2 === 0,
        ...(one.b % 5 === 0 ? { due: '2099-01-01T00:00:00Z' } : {}),
      });
    case 'node:access:update':
    case 'node:access:delete': {
      const owner = present.nodes.find(({ id }) => id === grant?.id)?.ownerId;
      return make(byId(owner), {
        ...grant,
        ...(one.event === 'node:access:delete' ? {} : { level: one.level, branch: one.flag }),
      });
    }
    case 'node:showing':
      return make(
        userOf((user) => user.email === grant?.email),
        { id: grant?.id, showing: one.flag },
      );
    case 'node:publish':
    case 'node:publish:update':
      return make(byId(node?.ownerId), { id: node?.id, branch: one.flag });
    case 'batch:undo':
    case 'batch:redo':
      return make(byId(batch?.actorId), { batchId: batch?.id });
    case 'node:expire':
      return make(SYSTEM, { id: node?.id });
    case 'node:purge':
    case 'link:purge':
      return make(SYSTEM, { id: one.event === 'node:purge' ? node?.id : link?.id, before: '2099-01-01T00:00:00Z' });
    default:
      return one.event.startsWith('link:')
        ? make(byId(link?.ownerId), { id: link?.id })
        : make(byId(node?.ownerId), { id: node?.id });
  }
}

let accepted = 0;
let remembered = 0;
const outcomes = { did: 0, lacked: 0, stale: 0 };

async function compareGroups(groups: readonly Group[]): Promise<void> {
  const users = await Promise.all(['ann', 'bob', 'cy'].map((name) => makeUser(database, name)));
  const comparing = startComparing();
  await comparing.commit(
    [0, 0, 1, 1, 2].map((at) => ({ by: users[at] as ActingUser, event: 'node:add', payload: {} })),
  );
  const { nodes } = await lookAt(users);
  await comparing.commit(
    nodes.map(({ id, ownerId }, at) => ({
      by: users.find((user) => user.id === ownerId) as ActingUser,
      event: 'node:access',
      payload: {
        id,
        email: users.filter((user) => user.id !== ownerId)[at % 2]?.email,
        level: 1 + (at % 2),
        branch: at % 2 === 0,
      },
    })),
  );
  for (const one of groups) {
    const present = await lookAt(users);
    const replies = await comparing.commit(
      one.steps.map((each) => commandOf(each, one, users, present)),
      one.at,
    );
    accepted += replies.filter((reply) => 'ok' in reply && reply.ok).length;
    const there = await lookAt(users);
    for (const { graphCache } of comparing.members) {
      const { stale, compared } = await findStale(database, graphCache, there);
      expect(stale).toEqual([]);
      remembered += compared;
    }
  }
  for (const outcome of ['did', 'lacked', 'stale'] as const) outcomes[outcome] += comparing.outcomes[outcome];
}

test(
  '[ACL6 TRS1 TRS3 LNK6 HIS2 HIS5 NODE3] after each group of random commands, a reload returns the decided and the cached state',
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(group, { minLength: 15, maxLength: 25, size: 'max' }), compareGroups), {
      numRuns: runs(3),
      // A failure is cut down by hand: each run of a smaller case takes as long as this one.
      endOnFailure: true,
    });
    // Most must find something to do, or nothing is compared.
    expect(accepted).toBeGreaterThan(40);
    expect(remembered).toBeGreaterThan(300);
    expect(outcomes.did).toBeGreaterThan(0);
  },
  timeFor(180_000),
);
