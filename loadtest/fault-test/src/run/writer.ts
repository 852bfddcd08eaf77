// A client that works continuously: it draws the next call, retries without an answer, and records
// the outcome.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@taskgraph/testkit/random';
import type { Command, Read, Version } from '../history/history.ts';
import type { Caller, Reply } from './callers.ts';
import { applyDiff, readDiff, type Tree } from './forest.ts';

export interface RunUser {
  readonly index: number;
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface WriterOptions {
  readonly caller: Caller;
  readonly runUser: RunUser;
  /**
   * The user to whom this client grants its branch and from whom it revokes it; null for a client
   * without grants.
   */
  readonly neighbour: RunUser | null;
  /** The trees that it works on; a repeated tree is drawn more often. */
  readonly trees: readonly Tree[];
  readonly own: Tree;
  readonly random: Random;
  readonly commands: Command[];
  readonly reads: Read[];
  readonly stop: AbortSignal;
  /** The share of commands that are not tried again. Default: 0.3. */
  readonly triedOnce?: number;
}

const MOST_ACTIVE = 22;
const SHARE_OF_DATES = 0.08;
const PAST_MS = 100_000;
/** How far ahead due dates are. Those of the last commands must pass before the run ends. */
const SOON_MS = { least: 500, most: 40_000 };
const LONGEST_THINKING_MS = 300;
const MOST_TRIES = 5;
const AGAIN_MS = 250;
/** The entities of a page that must hold everything. */
const PAGE = 5_000;
export const now = () => performance.now();

export async function work(options: WriterOptions): Promise<void> {
  const { caller, random, stop } = options;
  const done: UndoableBatch[] = [];
  for (let turn = 0; !stop.aborted; turn++) {
    if (caller.reads && random.chance(0.12)) await readAll(options);
    else await command(options, `${caller.name}-${turn}`, done);
    await sleep(random.between(0, LONGEST_THINKING_MS));
  }
}

export async function readAll({
  caller,
  runUser,
  reads,
}: Pick<WriterOptions, 'caller' | 'runUser' | 'reads'>): Promise<boolean> {
  const calledMs = now();
  const reply = await caller.call('graph:get', { limit: PAGE }, null);
  if (reply.kind !== 'done' || reply.body.hasMore !== false) return false;
  const { nodes, links } = reply.body as unknown as { nodes: Version[]; links: Version[] };
  const seen = [...nodes, ...links].map(({ id, version }) => ({ id, version }));
  reads.push({ client: caller.name, user: runUser.id, calledMs, endedMs: now(), seen });
  return true;
}

interface PlannedCall {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly tree: Tree;
}

/** A batch that may be undone. */
interface UndoableBatch {
  readonly batch: string;
  readonly tree: Tree;
}

async function command(options: WriterOptions, key: string, done: UndoableBatch[]): Promise<void> {
  const { commands, random, triedOnce = 0.3 } = options;
  const wish = draw(options, key, done);
  if (wish === null) return;
  const { made, body } = await callUntilAnswered(options, {
    ...wish,
    key,
    tries: random.chance(1 - triedOnce) ? MOST_TRIES : 1,
  });
  commands.push(made);
  if (made.outcome.kind !== 'done') return;
  applyDiff(wish.tree, body?.diff);
  if (made.outcome.batch !== null && wish.event !== 'batch:undo')
    done.push({ batch: made.outcome.batch, tree: wish.tree });
  done.splice(0, done.length - 3);
}

interface ClientRequest {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly tries: number;
}

/** Calls until there is an answer, up to a number of attempts, with one idempotency key. */
export async function callUntilAnswered(
  { caller, runUser }: Pick<WriterOptions, 'caller' | 'runUser'>,
  { event, payload, key, tries }: ClientRequest,
): Promise<{ made: Command; body: Readonly<Record<string, unknown>> | null }> {
  const calledMs = now();
  let mayBeDone = false;
  let reply: Reply = { kind: 'unknown', why: 'never asked' };
  for (let attempt = 1; attempt <= tries; attempt++) {
    if (attempt > 1) await sleep(AGAIN_MS * attempt);
    reply = await caller.call(event, payload, key);
    if (reply.kind === 'done' || reply.kind === 'refused') break;
    mayBeDone ||= reply.kind === 'unknown';
  }
  const head = { key, client: caller.name, user: runUser.id, event, payload, calledMs, endedMs: now() };
  if (reply.kind === 'done') {
    const outcome = { kind: 'done', ...readDiff(reply.body.diff ?? reply.body) } as const;
    return { made: { ...head, outcome }, body: reply.body };
  }
  const isKnown = reply.kind === 'refused' || (reply.kind === 'away' && !mayBeDone);
  const { code, details } = reply as { code: string; details: Record<string, unknown> };
  return {
    made: {
      ...head,
      outcome: isKnown ? { kind: 'refused', code, details } : { kind: 'unknown', why: describeReply(reply) },
    },
    body: null,
  };
}

function describeReply(reply: Reply): string {
  return reply.kind === 'unknown' ? reply.why : reply.kind;
}

function draw(
  { random, neighbour, trees, own, runUser }: WriterOptions,
  key: string,
  done: readonly UndoableBatch[],
): PlannedCall | null {
  if (neighbour !== null && random.chance(0.2)) return share(own, neighbour, random);
  const tree = random.of(trees);
  const wish = (event: string, payload: object): PlannedCall => ({ event, payload: { ...payload }, tree });
  const ids = [...tree.active.keys()];
  if (random.chance(SHARE_OF_DATES)) {
    const isRoot = ids.length === 0 || random.chance(0.1);
    return wish('node:update', { id: isRoot ? tree.root : random.of(ids), dueDate: drawDate(random) });
  }
  const at = random.next();
  const id = ids.length === 0 ? tree.root : random.of(ids);
  if (ids.length < 3 || (at < 0.2 && ids.length < MOST_ACTIVE))
    return wish('node:add', { title: key, target: tree.root });
  if (at < 0.45) {
    const version = tree.active.get(id);
    return wish('node:update', { id, title: key, ...(random.chance(0.5) && version !== undefined ? { version } : {}) });
  }
  if (at < 0.6) return wish('node:update', { id, status: random.of([0, 1, 3, 3]) });
  if (at < 0.65) return wish('node:update', { id: tree.root, title: key });
  if (at < 0.78) return wish('node:trash', { id });
  if (at < 0.85 && tree.trashed.length > 0) return wish('node:restore', { id: random.of(tree.trashed) });
  // A link by another user stays private to that user, and appears in that user's order.
  if (at < 0.93 && tree.owner === runUser.index)
    return wish('link:add', { source: id, target: random.of(ids.filter((each) => each !== id)) });
  if (at < 0.96 && tree.links.length > 0) return wish('link:trash', { id: random.of(tree.links) });
  const last = done.at(-1);
  return last === undefined ? null : { event: 'batch:undo', payload: { batchId: last.batch }, tree: last.tree };
}

/** Usually shortly ahead; else already past, or none. */
export function drawDate(random: Random): string | null {
  const at = random.next();
  if (at < 0.15) return null;
  const ms = at < 0.3 ? -random.between(1_000, PAST_MS) : random.between(SOON_MS.least, SOON_MS.most);
  return new Date(Date.now() + ms).toISOString();
}

function share(tree: Tree, { email }: RunUser, random: Random): PlannedCall {
  const payload = { id: tree.root, email };
  if (random.chance(0.5)) return { event: 'node:access:delete', payload, tree };
  return { event: 'node:access', payload: { ...payload, level: random.of([2, 2, 3]), branch: true }, tree };
}
