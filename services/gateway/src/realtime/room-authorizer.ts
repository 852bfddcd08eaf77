// Asks workers which feeds sockets may read: many in one query, and one query at a time. Rules: ACL5, ACL7, PUB3.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { publicFeeds, readersFeeds } from '@taskgraph/wire/messages';
import type { AskWorkers } from '../worker-questions.ts';
import type { Readable, Subscriber } from './subscriber.ts';

/** Users, and tokens, that one read asks for. */
const READERS_A_READ = 500;
/** After a read that failed, and where an answer came from before what is known here. */
const RETRY_MS = 500;

/** Takes in what a subscriber may read. */
type Settle = (subscriber: Subscriber, readable: readonly Readable[]) => void;

interface Options {
  readonly askWorkers: AskWorkers;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** The queue is bounded by the sockets that are connected here: each stands in it once. */
export interface RoomAuthorizer {
  /** Starts to ask; until then subscribers wait. */
  start(settle: Settle): void;
  add(subscriber: Subscriber): void;
  /** Adds a subscriber after a short while. */
  addLater(subscriber: Subscriber): void;
  stop(): void;
}

/** Subscribers by what they are asked for: users by their id, anonymous ones by their token. */
type Groups = Map<string, Subscriber[]>;

/** The feeds that each may read, by the same keys. */
type Answers = ReadonlyMap<string, readonly Readable[]>;

export function createRoomAuthorizer({ askWorkers, log }: Options): RoomAuthorizer {
  let settle: Settle | null = null;
  const waiting = new Set<Subscriber>();
  const later = new Set<Subscriber>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isRunning = true;
    // All that one control message puts in doubt is asked for together.
    await Promise.resolve();
    while (waiting.size > 0 && !isStopped) {
      const groups = takeGroups(waiting);
      await Promise.all([authorize(groups.user), authorize(groups.public)]);
    }
    isRunning = false;
  }

  async function authorize(groups: Groups): Promise<void> {
    if (groups.size === 0) return;
    try {
      await ask(groups);
    } catch (error) {
      log.error({ error }, 'sockets could not be authorized');
      for (const subscriber of [...groups.values()].flat()) addLater(subscriber);
    }
  }

  /** Asks for one kind of subscribers, and takes in what each may read; a reader that the answer leaves out may read nothing. */
  async function ask(groups: Groups): Promise<void> {
    const [first] = groups.values().next().value ?? [];
    if (first === undefined) return;
    const answers = first.audience.kind === 'user' ? await askForUsers(groups) : await askForTokens(groups);
    if (!isRefusal(answers)) {
      for (const [key, subscribers] of groups) {
        for (const subscriber of subscribers) take(subscriber, answers.get(key) ?? []);
      }
      return;
    }
    if (answers.code === 'internal.too_large' && groups.size > 1) {
      for (const half of bisected(groups)) await ask(half);
      return;
    }
    log.warn({ error: answers.code, readers: groups.size }, 'sockets could not be authorized and are asked for again');
    for (const subscriber of [...groups.values()].flat()) addLater(subscriber);
  }

  async function askForUsers(groups: Groups): Promise<Answers | Refusal> {
    const asked = [...groups.values()].flatMap(([subscriber]) => readerOf(subscriber));
    const answer = await askWorkers('readers:feeds', { readers: asked }, readersFeeds);
    return isRefusal(answer) ? answer : new Map(answer.readers.map(({ id, feeds }) => [id, feeds]));
  }

  async function askForTokens(groups: Groups): Promise<Answers | Refusal> {
    const answer = await askWorkers('public:feeds', { tokens: [...groups.keys()] }, publicFeeds);
    return isRefusal(answer) ? answer : new Map(answer.tokens.map(({ token, ...feed }) => [token, [feed]]));
  }

  /** A socket that fails is a bug of its own; it must not keep others from their rooms. */
  function take(subscriber: Subscriber, readable: readonly Readable[]): void {
    try {
      settle?.(subscriber, readable);
    } catch (error) {
      log.error({ error }, 'a socket could not be moved between rooms');
    }
  }

  function add(subscriber: Subscriber): void {
    if (subscriber.gone || isStopped) return;
    waiting.add(subscriber);
    if (!isRunning && settle !== null) void run();
  }

  function addLater(subscriber: Subscriber): void {
    if (isStopped) return;
    later.add(subscriber);
    timer ??= setTimeout(() => {
      timer = null;
      const due = [...later];
      later.clear();
      for (const each of due) add(each);
    }, RETRY_MS);
    timer.unref();
  }

  return {
    start(given) {
      settle = given;
      if (waiting.size > 0) void run();
    },
    add,
    addLater,
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Takes as many as one read each asks for. All sockets of a user or token come along. */
function takeGroups(waiting: Set<Subscriber>): Record<Subscriber['audience']['kind'], Groups> {
  const groups = { user: new Map<string, Subscriber[]>(), public: new Map<string, Subscriber[]>() };
  for (const subscriber of waiting) {
    const { audience } = subscriber;
    const mine = groups[audience.kind];
    const key = audience.kind === 'user' ? audience.user.id : audience.token;
    const group = mine.get(key);
    if (group === undefined && mine.size >= READERS_A_READ) continue;
    waiting.delete(subscriber);
    if (group === undefined) mine.set(key, [subscriber]);
    else group.push(subscriber);
  }
  return groups;
}

function readerOf(subscriber: Subscriber | undefined): { id: string; email: string }[] {
  if (subscriber?.audience.kind !== 'user') return [];
  const { id, email } = subscriber.audience.user;
  return [{ id, email }];
}

function bisected(groups: Groups): Groups[] {
  const all = [...groups];
  const middle = Math.ceil(all.length / 2);
  return [new Map(all.slice(0, middle)), new Map(all.slice(middle))];
}
