// The socket client of the SDK: typed calls and pushes. Rules: AUTH3, EVT1, EVT2, GEN8, LIM2, PUB3.

import { type Batch, OPERATIONS, runBatch } from './batch.ts';
import {
  type Calls,
  type EventName,
  type GraphPage,
  isRead,
  type NodeField,
  type SelectedAnswer,
  type SelectivePayload,
  type SelectiveRead,
} from './calls.ts';
import { type FollowedPage, type FollowOptions, followHistory, type HistoryQuery } from './follow-history.ts';
import { randomKey } from './random-key.ts';
import { createRateLimitWaits, type RateLimitOptions } from './rate-limit-wait.ts';
import {
  type AccessChanged,
  type Connected,
  openSession,
  type Session,
  type Unpublished,
  type Unsubscribe,
} from './session.ts';
import type { Gap, Slice } from './slice-order.ts';
import { type Credentials, socketTo } from './socket.ts';

export type ConnectOptions = Credentials &
  RateLimitOptions & {
    /** The service's base URL. */
    url: string;
    /** Milliseconds for the first connection. Default 20,000. */
    timeoutMs?: number;
  };

export interface CallOptions {
  /**
   * Identifies the mutation over retries, so that it runs once. Default: a random key for each
   * call.
   */
  idempotencyKey?: string;
  /**
   * Returns the diff or refusal of a mutation, and the changes of visibility, without running it.
   */
  dryRun?: boolean;
  /** Milliseconds for all attempts together. Default 20,000. */
  timeoutMs?: number;
}

type PlainMethod<E extends EventName> = (
  payload: Calls[E]['payload'],
  options?: CallOptions,
) => Promise<Calls[E]['answer']>;

/** A read whose answer has the type of the fields that its payload selects. */
interface SelectiveMethod<E extends SelectiveRead> {
  <const F extends NodeField>(payload: SelectivePayload<E, F>, options?: CallOptions): Promise<SelectedAnswer<E, F>>;
  (payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
}

type Method<E extends EventName> = E extends SelectiveRead ? SelectiveMethod<E> : PlainMethod<E>;

/** The methods by group, each with its event. */
const METHODS = {
  ...OPERATIONS,
  node: {
    ...OPERATIONS.node,
    claim: 'node:claim',
    renewClaim: 'node:claim:renew',
    releaseClaim: 'node:claim:release',
    get: 'node:get',
    find: 'node:find',
    why: 'node:why',
  },
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

/**
 * A connection of one user or anonymous reader. It reconnects until it is closed. Every call that
 * fails throws a TaskgraphError.
 */
export interface TaskgraphClient extends Groups {
  readonly connected: Connected;
  /**
   * The position up to which the caller has the graph, for `changes.get`. The last page of
   * `changes.get` or `graph.pages` advances it. Empty without a user.
   */
  readonly position: string;
  call<E extends SelectiveRead, const F extends NodeField>(
    event: E,
    payload: SelectivePayload<E, F>,
    options?: CallOptions,
  ): Promise<SelectedAnswer<E, F>>;
  call<E extends EventName>(event: E, payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
  /**
   * Runs several operations in one, all or none. `build` adds them to the batch and returns the
   * handles that it needs. The ids of created nodes and links are valid after the answer.
   */
  batch<T>(build: (batch: Batch) => T, options?: CallOptions): Promise<Calls['batch:run']['answer'] & { made: T }>;
  readonly history: Groups['history'] & {
    /**
     * Iterates over the batches of a query, oldest first, and then over new ones, until the caller
     * leaves the loop or aborts. A new batch arrives about 10 seconds after its commit.
     */
    follow(query: HistoryQuery, options?: FollowOptions): AsyncGenerator<FollowedPage, void, undefined>;
  };
  readonly graph: {
    /**
     * Reads all pages of the graph, and misses nothing while others write. `limit`: entities per
     * page, 1 to 5000. Default 5,000; the service also bounds a page by bytes.
     */
    pages(options?: { limit?: number }): AsyncGenerator<GraphPage, void, undefined>;
  };
  /**
   * Calls the listener with every slice, in the order of its feed's numbers. Returns a function
   * that ends this.
   */
  onDiff(listener: (slice: Slice) => void): Unsubscribe;
  /**
   * Calls the listener if slices are lost or a feed is new: call `changes.get` with the `position`.
   */
  onGap(listener: (gap: Gap) => void): Unsubscribe;
  /** Calls the listener after each reconnection, before calls go on. The user may be another one. */
  onConnected(listener: (connected: Connected) => void): Unsubscribe;
  /** Calls the listener when the user gains or loses access, or has another level. */
  onAccess(listener: (change: AccessChanged) => void): Unsubscribe;
  /**
   * Calls the listener when the publication of the public token ends. The client is closed then.
   */
  onUnpublished(listener: (event: Unpublished) => void): Unsubscribe;
  close(): void;
}

const DEFAULT_TIMEOUT_MS = 20_000;
/** The service's own bound on a page. A graph loads faster in fewer pages. */
const MOST_PAGE_ENTITIES = 5_000;

/** Connects. Rejects with a TaskgraphError if the token is refused or the time-out passes. */
export async function connect(options: ConnectOptions): Promise<TaskgraphClient> {
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const socket = socketTo(url, options);
  const session = openSession(socket, createRateLimitWaits(options));
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
    const { idempotencyKey = randomKey(), timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const more = options.dryRun === true ? { dryRun: true } : { idempotencyKey };
    const whole = isRead(event) ? payload : { ...payload, ...more };
    const answer = (await session.queue.call({
      event,
      payload: whole,
      deadline: Date.now() + timeoutMs,
    })) as Calls[E]['answer'];
    if (event === 'changes:get') updatePosition(session, answer as Calls['changes:get']['answer']);
    return answer;
  }
  const groups = groupsOf(call);
  return {
    get connected() {
      return session.connected();
    },
    get position() {
      return session.position();
    },
    call,
    ...groups,
    history: {
      ...groups.history,
      follow: (query, options = {}) => followHistory((payload) => call('history:page', payload), query, options),
    },
    batch: (build, options) => runBatch(build, (payload) => call('batch:run', payload, options)),
    graph: { pages: ({ limit = MOST_PAGE_ENTITIES } = {}) => readGraph(session, call, limit) },
    onDiff: (listener) => session.listen('diff', listener),
    onGap: (listener) => session.listen('gap', listener),
    onConnected: (listener) => session.listen('connected', listener),
    onAccess: (listener) => session.listen('access', listener),
    onUnpublished: (listener) => session.listen('unpublished', listener),
    close: () => session.close(),
  };
}

/** All pages have the same position. It is valid once the last page is here. */
function updatePosition(session: Session, answer: Calls['changes:get']['answer']): void {
  if (answer.resetRequired !== true && !answer.hasMore) session.setPosition(answer.position);
}

function groupsOf(call: TaskgraphClient['call']): Groups {
  const groups = Object.entries(METHODS).map(([group, methods]) => {
    const entries = Object.entries(methods).map(([name, event]: [string, EventName]) => {
      const method: PlainMethod<EventName> = (payload, options) => call(event, payload, options);
      return [name, method];
    });
    return [group, Object.fromEntries(entries)];
  });
  return Object.fromEntries(groups) as Groups;
}

async function* readGraph(
  session: Session,
  call: TaskgraphClient['call'],
  limit: number,
): AsyncGenerator<GraphPage, void, undefined> {
  let after: string | null = null;
  let position: string | undefined;
  do {
    const page: GraphPage = await call('graph:get', after === null ? { limit } : { limit, after });
    position ??= page.position;
    yield page;
    after = page.hasMore ? page.next : null;
  } while (after !== null);
  session.setPosition(position);
}
