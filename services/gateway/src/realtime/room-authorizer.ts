// Has workers judge which feeds sockets may read: many in one query, and one query at a time. Rules: ACL5, ACL7, PUB3.
import type { Requester } from '@taskgraph/bus/requests/request';
import { publicFeeds, type ReplyMessage, readersFeeds } from '@taskgraph/wire/messages';
import { traceIdOf } from '../trace.ts';
import type { Member, Readable } from './subscriber.ts';

/** Users, and tokens, that one read asks for. */
const READERS_A_READ = 500;
/** A read that takes longer is asked anew: those who wait for it hear nothing meanwhile. */
const READ_LIMIT_MS = 3_000;
/** After a read that failed, and where an answer came from before what is known here. */
const RETRY_MS = 500;

interface Options {
  readonly requester: Pick<Requester, 'read'>;
  /** Takes in what a member may read. */
  readonly settle: (member: Member, readable: readonly Readable[]) => void;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** What waits is bounded by the sockets that are connected here: each stands in it once. */
export interface Judge {
  add(member: Member): void;
  /** Adds a member after a short while. */
  addLater(member: Member): void;
  stop(): void;
}

/** Members by what they are asked for: users by their id, anonymous ones by their token. */
type Groups = Map<string, Member[]>;

export function createJudge(options: Options): Judge {
  const waiting = new Set<Member>();
  const later = new Set<Member>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isRunning = true;
    // All that one control message puts in doubt is asked for together.
    await Promise.resolve();
    while (waiting.size > 0 && !isStopped) {
      const groups = takeGroups(waiting);
      await Promise.all([judge(groups.user), judge(groups.public)]);
    }
    isRunning = false;
  }

  async function judge(groups: Groups): Promise<void> {
    if (groups.size === 0) return;
    try {
      await ask(options, groups, addLater);
    } catch (error) {
      options.log.error({ error }, 'sockets could not be judged');
      for (const member of [...groups.values()].flat()) addLater(member);
    }
  }

  function add(member: Member): void {
    if (member.gone || isStopped) return;
    waiting.add(member);
    if (!isRunning) void run();
  }

  function addLater(member: Member): void {
    if (isStopped) return;
    later.add(member);
    timer ??= setTimeout(() => {
      timer = null;
      const due = [...later];
      later.clear();
      for (const each of due) add(each);
    }, RETRY_MS);
    timer.unref();
  }

  return {
    add,
    addLater,
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Takes as many as one read each asks for. All sockets of a user or token come along. */
function takeGroups(waiting: Set<Member>): Record<Member['audience']['kind'], Groups> {
  const groups = { user: new Map<string, Member[]>(), public: new Map<string, Member[]>() };
  for (const member of waiting) {
    const { audience } = member;
    const mine = groups[audience.kind];
    const key = audience.kind === 'user' ? audience.user.id : audience.token;
    const group = mine.get(key);
    if (group === undefined && mine.size >= READERS_A_READ) continue;
    waiting.delete(member);
    if (group === undefined) mine.set(key, [member]);
    else group.push(member);
  }
  return groups;
}

/** Asks for one kind of members and settles them. */
async function ask(options: Options, groups: Groups, retry: (member: Member) => void): Promise<void> {
  const [first] = groups.values().next().value ?? [];
  if (first === undefined) return;
  const asking = first.audience.kind === 'user' ? askUsers : askTokens;
  const deadline = Date.now() + READ_LIMIT_MS;
  const message = { actor: null, deadline, traceId: traceIdOf(undefined), ...asking.question(groups) };
  const reply = await options.requester.read(message);
  if (reply.ok) {
    const answers = asking.answers(reply);
    for (const [key, members] of groups) {
      for (const member of members) settle(options, member, answers.get(key) ?? []);
    }
    return;
  }
  if (reply.error === 'internal.too_large' && groups.size > 1) {
    for (const half of bisected(groups)) await ask(options, half, retry);
    return;
  }
  options.log.warn({ error: reply.error, readers: groups.size }, 'sockets could not be judged and are asked for again');
  for (const member of [...groups.values()].flat()) retry(member);
}

/** A socket that fails is a bug of its own; it must not keep others from their rooms. */
function settle(options: Options, member: Member, readable: readonly Readable[]): void {
  try {
    options.settle(member, readable);
  } catch (error) {
    options.log.error({ error }, 'a socket could not be moved between rooms');
  }
}

interface Asking {
  question(groups: Groups): { event: string; payload: Record<string, unknown> };
  /** What each may read; who is left out may read nothing. */
  answers(reply: Extract<ReplyMessage, { ok: true }>): Map<string, readonly Readable[]>;
}

const askUsers: Asking = {
  question: (groups) => ({
    event: 'readers:feeds',
    payload: { readers: [...groups.values()].flatMap(([member]) => readerOf(member)) },
  }),
  answers: ({ body }) => new Map(readersFeeds.parse(body).readers.map(({ id, feeds }) => [id, feeds])),
};

const askTokens: Asking = {
  question: (groups) => ({ event: 'public:feeds', payload: { tokens: [...groups.keys()] } }),
  answers: ({ body }) => new Map(publicFeeds.parse(body).tokens.map(({ token, ...feed }) => [token, [feed]])),
};

function readerOf(member: Member | undefined): { id: string; email: string }[] {
  if (member?.audience.kind !== 'user') return [];
  const { id, email } = member.audience.user;
  return [{ id, email }];
}

function bisected(groups: Groups): Groups[] {
  const all = [...groups];
  const middle = Math.ceil(all.length / 2);
  return [new Map(all.slice(0, middle)), new Map(all.slice(middle))];
}
