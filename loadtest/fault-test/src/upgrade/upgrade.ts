// An upgrade under load: from the previous release to this tree and back. All answers, pushes and the
// stored data are checked as in the fault test.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { type Random, randomFrom } from '@taskgraph/testkit/random';
import { check } from '../history/check.ts';
import type { Anomaly, ClaimAnswer, Command, History, Read } from '../history/history.ts';
import { type Caller, type Reply, restCaller } from '../run/callers.ts';
import { connectClients, newUser, type RunClients } from '../run/clients.ts';
import { readDiff } from '../run/forest.ts';
import { untilCurrent } from '../run/run.ts';
import { readStored } from '../run/stored.ts';
import { type Listener, listen, type Watcher, watch } from '../run/watchers.ts';
import { now, type RunUser } from '../run/writer.ts';
import { failMigration, type MigrationFailure } from './failed-migration.ts';
import { runMigration, stepsOf } from './migration.ts';
import { addNewRecords, type NewRecords } from './new-records.ts';
import { type PlainLoad, startPlainLoad } from './plain-load.ts';
import { openPreviousRelease } from './previous-release.ts';
import { repeatCommands } from './repeated-commands.ts';
import { judgeReply, newReplyCounts, type ReplyCounts } from './replies.ts';
import {
  COMMAND_TIMEOUT_MS,
  type Release,
  type Replacement,
  startUpgradeStack,
  UPGRADE_ORDER,
  type UpgradeStack,
} from './upgrade-stack.ts';

export interface UpgradeOptions {
  readonly seed: number;
  /** Further rolls, in random order, start until this time. The first two are always done. */
  readonly durationMs: number;
  readonly note: (line: string) => void;
}

export interface Roll {
  readonly to: Release['name'];
  readonly replacements: readonly Replacement[];
}

export interface Phase {
  readonly name: string;
  readonly fromMs: number;
}

export interface UpgradeOutcome {
  /** Version and commit of the previous release. */
  readonly previous: string;
  /** The steps that the migration added. */
  readonly steps: readonly number[];
  /** Null if no new step can be made to fail. */
  readonly migrationFailure: MigrationFailure | null;
  readonly rolls: readonly Roll[];
  /** In order; each lasts until the next one. */
  readonly phases: readonly Phase[];
  readonly replies: ReplyCounts;
  /** The number of commands that were sent again to the other release. */
  readonly repeated: number;
  readonly history: History;
  /** Errors in the logs of services, without those of services that did not start. */
  readonly errors: readonly string[];
  readonly anomalies: readonly Anomaly[];
}

/** Plain loads, on a node each; the users beyond the last begin again. */
const PLAIN_LOADS = 3;
const PLAIN_RETRIES = 5;
const PROGRESS_LIMIT_MS = 180_000;
/** Longer than the service's own limit: a client that gives up before would hide the service's answer. */
const TRY_MS = COMMAND_TIMEOUT_MS + 15_000;
const POLL_MS = 20;
/** A bound for the memory of the checks. */
const MOST_ROLLS = 40;
/** Answers that each plain load must receive between two replacements. */
const PLAIN_ANSWERS = 5;

const THIS_RELEASE: Release = {
  name: 'this',
  scriptOf: (service, script) => join(REPOSITORY, 'services', service, 'dist', script),
  has: () => true,
};

export async function runUpgrade({ seed, durationMs, note: print }: UpgradeOptions): Promise<UpgradeOutcome> {
  const startMs = now();
  const note = (line: string) => print(`${((now() - startMs) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
  const opened = await openPreviousRelease(note);
  const previous: Release = { name: 'previous', scriptOf: opened.scriptOf, has: opened.has };
  try {
    note(`starting the previous release, ${opened.version} of ${opened.commit.slice(0, 12)}`);
    const stack = await startUpgradeStack(previous);
    try {
      const result = await upgradeUnderLoad(stack, { previous, seed, durationMs, note });
      return { previous: `${opened.version} of ${opened.commit.slice(0, 12)}`, ...result };
    } finally {
      await stack.stop();
    }
  } finally {
    await opened.remove();
  }
}

interface Run extends UpgradeOptions {
  readonly previous: Release;
}

async function upgradeUnderLoad(stack: UpgradeStack, run: Run): Promise<Omit<UpgradeOutcome, 'previous'>> {
  const { note, previous, seed } = run;
  const { environment } = stack.stack;
  const load = await startLoad(stack, seed);
  try {
    const phases: Phase[] = [];
    const enter = (name: string) => void phases.push({ name, fromMs: now() });
    enter('before');
    await load.progress();
    const before = await stepsOf(environment);
    enter('the failed migration');
    const migrationFailure = await failMigration(stack.stack, { release: THIS_RELEASE, note, progress: load.progress });
    enter('the migration');
    note('migrating the database while the previous release serves');
    const { code, output } = await runMigration(THIS_RELEASE.scriptOf('admin', 'migrate.js'), environment);
    if (code !== 0) throw new Error(`the migration failed:\n${output}`);
    await load.progress();
    const steps = (await stepsOf(environment)).filter((step) => !before.includes(step));
    note(`migrated: ${steps.join(', ') || 'no new steps'}`);
    const rolled = await rollUntil(stack, { ...run, load, enter, releases: [THIS_RELEASE, previous] });
    note('no more writes; checking');
    await load.stop();
    const errors = errorsIn(stack.stack.logFolder);
    return { errors, phases, steps, migrationFailure, ...rolled, ...(await load.judge()) };
  } finally {
    await load.close();
  }
}

/** Rolls to each release in turn: first in the documented order and back, then in random orders. */
async function rollUntil(
  stack: UpgradeStack,
  {
    releases,
    load,
    enter,
    seed,
    durationMs,
    note,
  }: Run & { load: Load; enter(phase: string): void; releases: readonly [Release, Release] },
): Promise<{ rolls: Roll[]; repeated: number }> {
  const random = randomFrom(seed + 1);
  const endMs = now() + durationMs;
  const rolls: Roll[] = [];
  let repeated = 0;
  while (rolls.length < 2 || (now() < endMs && rolls.length < MOST_ROLLS)) {
    const to = releases[rolls.length % 2] as Release;
    const order = [UPGRADE_ORDER, UPGRADE_ORDER.toReversed()][rolls.length] ?? shuffle(UPGRADE_ORDER, random);
    note(`replacing ${order.join(', ')} by ${to.name === 'this' ? 'this' : 'the previous'} release`);
    const replacements: Replacement[] = [];
    enter(`roll ${rolls.length + 1}`);
    for (const kind of order) {
      const done = await stack.replace(kind, to);
      if (done === null) continue;
      replacements.push(done);
      note(`  ${kind}: ready after ${Math.round(done.startMs)} ms, stopped after ${Math.round(done.stopMs)} ms`);
      await load.progress();
    }
    rolls.push({ to: to.name, replacements });
    repeated += await load.repeat(random);
    await load.useNewRecords(rolls.length);
  }
  return { rolls, repeated };
}

/** pino's number for errors. */
const ERROR_LEVEL = 50;

function errorsIn(logFolder: string): string[] {
  return readdirSync(logFolder).flatMap((file) =>
    readFileSync(join(logFolder, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{') && Number((JSON.parse(line) as { level: unknown }).level) >= ERROR_LEVEL)
      .map((line) => `${file}: ${line}`),
  );
}

function shuffle<T>(all: readonly T[], random: Random): T[] {
  const left = [...all];
  return all.map(() => left.splice(random.between(0, left.length - 1), 1)[0] as T);
}

interface Load {
  /** Waits until all clients have had further commands answered. */
  progress(): Promise<void>;
  /** Sends some answered commands again under their keys. Returns how many. */
  repeat(random: Random): Promise<number>;
  /** After the first roll, makes records that only this release knows; after the second, uses them. */
  useNewRecords(rolls: number): Promise<void>;
  /** Ends all writes. */
  stop(): Promise<void>;
  /** Checks everything after the last write. */
  judge(): Promise<Pick<UpgradeOutcome, 'replies' | 'history' | 'anomalies'>>;
  close(): Promise<void>;
}

async function startLoad({ stack, balancer, anomalies: ofStack }: UpgradeStack, seed: number): Promise<Load> {
  const urls = [balancer.url, balancer.url] as const;
  const served = { stack: { token: (email: string) => stack.makeToken(email, email.split('@')[0] ?? '') }, urls };
  const commands: Command[] = [];
  const reads: Read[] = [];
  const claims: ClaimAnswer[] = [];
  const anomalies: Anomaly[] = [];
  let newRecords: NewRecords | null = null;
  const replies = newReplyCounts();
  const onReply = (reply: Reply, caller: Caller) => void anomalies.push(...judgeReply(replies, reply, caller));
  const records = { seed, commands, claims, openAttempts: [], reads, queues: 0, triedOnce: 0, tryMs: TRY_MS, onReply };
  const clients = await connectClients(served, records);
  const listeners = clients.runUsers.map((user) => listen(`listener${user.index}`, balancer.url, user));
  const watchers = await Promise.all(
    clients.runUsers.map((user): Promise<Watcher> => watch(`watcher${user.index}`, balancer.url, user)),
  );
  const plainLoads = await startPlainLoads(clients.runUsers, { url: balancer.url, commands });
  const stop = new AbortController();
  const working = clients.work(stop.signal);
  // A failure is thrown at the await of the work.
  working.catch(() => stop.abort());
  return {
    progress: () => untilProgress({ clients, commands, plainLoads, stop: stop.signal }),
    async repeat(random) {
      const repeats = await repeatCommands({ users: clients.runUsers, urls, commands, random });
      anomalies.push(...repeats.anomalies);
      return repeats.count;
    },
    async useNewRecords(rolls) {
      if (rolls === 1) {
        const runUser = await newUser(served, clients.runUsers.length);
        newRecords = await addNewRecords({ environment: stack.environment, urls, runUser, commands, claims });
      } else if (rolls === 2) anomalies.push(...((await newRecords?.afterRollback()) ?? []));
    },
    async stop() {
      stop.abort();
      await Promise.all([working, ...plainLoads.map((load) => load.stop())]);
    },
    async judge() {
      const current = await untilCurrent({ urls }, { watchers, reads });
      const { stored, inconsistencies } = await readStored(stack.environment);
      const connections = listeners.flatMap((listener: Listener) => listener.connections);
      const clock = { epochMs: performance.timeOrigin, storedMs: now(), isSet: false };
      const history: History = {
        clock,
        commands,
        claims,
        reads,
        connections,
        replicas: current.replicas,
        webhooks: [],
      };
      replies.retried.set(
        'plain: 503',
        plainLoads.reduce((all, load) => all + load.retried(), 0),
      );
      const failed = plainLoads.flatMap(({ failures }) => failures);
      const all = [
        ...ofStack,
        ...(balancer.refusals() === 0 ? [] : [refusalsOf(balancer.refusals())]),
        ...anomalies,
        ...failed.map((what) => ({ kind: 'a request failed', what, about: [] })),
        ...commands.filter(({ outcome }) => outcome.kind === 'unknown').map(unansweredOf),
        ...current.anomalies,
        ...inconsistencies.map((what) => ({ kind: 'the stored data contradicts itself', what, about: [] })),
        ...check(history, stored),
      ];
      return { replies, history, anomalies: all };
    },
    async close() {
      stop.abort();
      await Promise.allSettled([working, ...plainLoads.map((load) => load.stop())]);
      for (const listener of listeners) listener.close();
      await Promise.allSettled([clients.close(), ...watchers.map(({ replica }) => replica.close())]);
    },
  };
}

function unansweredOf(command: Command): Anomaly {
  const why = command.outcome.kind === 'unknown' ? command.outcome.why : '';
  return { kind: 'no retry was answered', what: `${command.key}: ${why}`, about: [command] };
}

function refusalsOf(count: number): Anomaly {
  return { kind: 'no gateway was ready', what: `${count} connections were refused`, about: [] };
}

/** Each has a node of its own, which no other client changes. */
function startPlainLoads(
  users: readonly RunUser[],
  { url, commands }: { url: string; commands: Command[] },
): Promise<PlainLoad[]> {
  return Promise.all(
    Array.from({ length: PLAIN_LOADS }, async (_, index) => {
      const runUser = users[index % users.length] as RunUser;
      const [name, event] = [`plain${index}`, 'node:add'];
      const caller = restCaller({ name, urls: [url, url], token: runUser.token });
      const payload = { title: `${name}-node` };
      const calledMs = now();
      const reply = await caller.call(event, payload, payload.title);
      if (reply.kind !== 'done') throw new Error(`${event} failed: ${JSON.stringify(reply)}`);
      const outcome = { kind: 'done', ...readDiff(reply.body.diff) } as const;
      const head = { key: payload.title, client: name, user: runUser.id, event, payload };
      commands.push({ ...head, calledMs, endedMs: now(), outcome });
      return startPlainLoad({
        url,
        runUser,
        id: outcome.versions[0]?.id ?? '',
        name,
        commands,
        retries: PLAIN_RETRIES,
      });
    }),
  );
}

interface Progress {
  readonly clients: RunClients;
  readonly commands: readonly Command[];
  readonly plainLoads: readonly PlainLoad[];
  readonly stop: AbortSignal;
}

/** Throws if a client gets no answer for three minutes. */
async function untilProgress({ clients, commands, plainLoads, stop }: Progress): Promise<void> {
  const from = commands.length;
  const answers = plainLoads.map((load) => load.answered());
  const deadline = now() + PROGRESS_LIMIT_MS;
  for (;;) {
    const answered = new Set(commands.slice(from).map(({ client }) => client));
    const waiting = clients.callers.filter(({ name }) => !answered.has(name)).map(({ name }) => name);
    const slow = plainLoads.filter((load, index) => load.answered() < (answers[index] ?? 0) + PLAIN_ANSWERS);
    if (waiting.length === 0 && slow.length === 0) return;
    if (stop.aborted) throw new Error('the clients have ended');
    if (now() > deadline)
      throw new Error(`no answer for three minutes: ${waiting.join(', ')}, and ${slow.length} plain loads`);
    await sleep(POLL_MS);
  }
}
