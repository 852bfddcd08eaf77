// The socket side of the SDK: typed calls, and the changes of others as they happen. Rules: AUTH3, EVT1, EVT2, GEN8, LIM2, PUB3.
import { type Batch, OPERATIONS, runBatch } from './batch.ts';
import { type Calls, type EventName, type GraphPage, isRead } from './calls.ts';
import { createPatience, type PatienceOptions } from './patience.ts';
import {
  type AccessChanged,
  type Connected,
  openSession,
  type Session,
  type Unlisten,
  type Unpublished,
} from './session.ts';
import type { Gap, Slice } from './slice-order.ts';
import { type Credentials, socketTo } from './socket.ts';

export type ConnectOptions = Credentials &
  PatienceOptions & {
    /** The service's base URL. */
    url: string;
    /** Milliseconds until the first connection must stand; 20,000 if not given. */
    timeoutMs?: number;
  };

export interface CallOptions {
  /** Made by the SDK for each mutation if not given, so that a retry after a lost connection never does it twice. */
  idempotencyKey?: string;
  /** Only says what a mutation would do: its diff or refusal, and who would gain or lose sight. Nothing is done. */
  dryRun?: boolean;
  /** Milliseconds for all tries together; 20,000 if not given. */
  timeoutMs?: number;
}

type Method<E extends EventName> = (payload: Calls[E]['payload'], options?: CallOptions) => Promise<Calls[E]['answer']>;

/** The methods by their group; each stands for the call of the event beside it. */
const METHODS = {
  ...OPERATIONS,
  node: { ...OPERATIONS.node, get: 'node:get', why: 'node:why' },
  access: { ...OPERATIONS.access, list: 'node:access:list' },
  history: { page: 'history:page', undo: 'batch:undo', redo: 'batch:redo' },
  branch: { get: 'branch:get' },
  changes: { get: 'changes:get' },
  trash: { page: 'trash:page' },
} as const satisfies Record<string, Record<string, EventName>>;

type Groups = {
  readonly [G in keyof typeof METHODS]: {
    readonly [M in keyof (typeof METHODS)[G]]: Method<Extract<(typeof METHODS)[G][M], EventName>>;
  };
};

/** A connection of one user, or of an anonymous reader. It repairs itself until it is closed; every failure of a call is a TaskgraphError. */
export interface TaskgraphClient extends Groups {
  readonly connected: Connected;
  /** Up to where the caller has the graph, for `changes.get`: moved by the last page of it, and of `graph.pages`. Empty without a user. */
  readonly position: string;
  call<E extends EventName>(event: E, payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
  /**
   * Does several operations in one, all of them or none: `build` says which, and gives what it wants to know of them. Nodes and
   * links that they make have their ids from the answer on.
   */
  batch<T>(build: (batch: Batch) => T, options?: CallOptions): Promise<Calls['batch:run']['answer'] & { made: T }>;
  readonly graph: {
    /** Walks all pages of the graph; nothing is missed while others write. `limit`: entities a page, 1 to 5000. */
    pages(options?: { limit?: number }): AsyncGenerator<GraphPage, void, undefined>;
  };
  /** Calls the listener with every slice, in the order of its feed's numbers; gives a function that ends this. */
  onDiff(listener: (slice: Slice) => void): Unlisten;
  /** Calls the listener where slices are lost for good, or a feed is new: ask `changes.get` from the `position`. */
  onGap(listener: (gap: Gap) => void): Unlisten;
  /** Calls the listener where the user gains or loses access, or reads at another level. */
  onAccess(listener: (change: AccessChanged) => void): Unlisten;
  /** Calls the listener where the public token opens nothing any more; the client is closed then. */
  onUnpublished(listener: (event: Unpublished) => void): Unlisten;
  close(): void;
}

const DEFAULT_TIMEOUT_MS = 20_000;

/** Connects; rejects with a TaskgraphError where the token is refused, or no connection stands in time. */
export async function connect(options: ConnectOptions): Promise<TaskgraphClient> {
  const { url, token, publicToken, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const socket = socketTo(url, token === undefined ? { publicToken } : { token });
  const session = openSession(socket, createPatience(options));
  try {
    await session.firstConnection(timeoutMs);
  } catch (error) {
    session.close();
    throw error;
  }
  return clientOf(session);
}

function clientOf(session: Session): TaskgraphClient {
  async function call<E extends EventName>(event: E, payload: Calls[E]['payload'], options: CallOptions = {}) {
    const { idempotencyKey = crypto.randomUUID(), timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const more = options.dryRun === true ? { dryRun: true } : { idempotencyKey };
    const whole = isRead(event) ? payload : { ...payload, ...more };
    const answer = (await session.queue.call({
      event,
      payload: whole,
      deadline: Date.now() + timeoutMs,
    })) as Calls[E]['answer'];
    if (event === 'changes:get') notePosition(session, answer as Calls['changes:get']['answer']);
    return answer;
  }
  return {
    get connected() {
      return session.connected();
    },
    get position() {
      return session.position();
    },
    call,
    ...groupsOf(call),
    batch: (build, options) => runBatch(build, (payload) => call('batch:run', payload, options)),
    graph: { pages: ({ limit } = {}) => walkGraph(session, call, limit === undefined ? {} : { limit }) },
    onDiff: (listener) => session.listen('diff', listener),
    onGap: (listener) => session.listen('gap', listener),
    onAccess: (listener) => session.listen('access', listener),
    onUnpublished: (listener) => session.listen('unpublished', listener),
    close: () => session.close(),
  };
}

/** All pages bear the same position, and it counts only when all of them are here. */
function notePosition(session: Session, answer: Calls['changes:get']['answer']): void {
  if (answer.resetRequired !== true && !answer.hasMore) session.setPosition(answer.position);
}

function groupsOf(call: TaskgraphClient['call']): Groups {
  const groups = Object.entries(METHODS).map(([group, methods]) => {
    const entries = Object.entries(methods).map(([name, event]: [string, EventName]) => {
      const method: Method<EventName> = (payload, options) => call(event, payload, options);
      return [name, method];
    });
    return [group, Object.fromEntries(entries)];
  });
  return Object.fromEntries(groups) as Groups;
}

async function* walkGraph(
  session: Session,
  call: TaskgraphClient['call'],
  payload: { limit?: number },
): AsyncGenerator<GraphPage, void, undefined> {
  let after: string | null = null;
  let position: string | undefined;
  do {
    const page: GraphPage = await call('graph:get', after === null ? payload : { ...payload, after });
    position ??= page.position;
    yield page;
    after = page.hasMore ? page.next : null;
  } while (after !== null);
  session.setPosition(position);
}
