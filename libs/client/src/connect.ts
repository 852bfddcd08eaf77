// The socket side of the SDK: typed calls, and the changes of others as they happen. Rules: AUTH3, EVT1, GEN8.
import { io, type Socket } from 'socket.io-client';
import { createCallQueue } from './call-queue.ts';
import { type Calls, type EventName, type GraphPage, isRead } from './calls.ts';
import { clientError, errorOf } from './error.ts';
import { isPassing, retryWaitMs } from './retry.ts';
import { createSliceOrder, type Gap, type Slice } from './slice-order.ts';

interface ConnectOptions {
  /** The service's base URL. */
  url: string;
  token: string;
  /** Milliseconds until the first connection must stand; 20,000 if not given. */
  timeoutMs?: number;
}

interface CallOptions {
  /** Made by the SDK for each mutation if not given, so that a retry after a lost connection never does it twice. */
  idempotencyKey?: string;
  /** Milliseconds for all tries together; 20,000 if not given. */
  timeoutMs?: number;
}

/** What the service says on connecting: `feeds` are the numbers that the reader's feeds have reached. */
export interface Connected {
  readonly uid: string;
  readonly client: string;
  readonly serverTime: string;
  readonly feeds: Readonly<Record<string, number>>;
  readonly position: string;
}

type Method<E extends EventName> = (payload: Calls[E]['payload'], options?: CallOptions) => Promise<Calls[E]['answer']>;
type Unlisten = () => void;

/** A connection of one user. It repairs itself until it is closed; every failure of a call is a TaskgraphError. */
export interface TaskgraphClient {
  readonly connected: Connected;
  call<E extends EventName>(event: E, payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
  readonly node: {
    add: Method<'node:add'>;
    update: Method<'node:update'>;
    trash: Method<'node:trash'>;
    restore: Method<'node:restore'>;
    delete: Method<'node:delete'>;
  };
  readonly link: {
    add: Method<'link:add'>;
    update: Method<'link:update'>;
    swap: Method<'link:swap'>;
    trash: Method<'link:trash'>;
    restore: Method<'link:restore'>;
    delete: Method<'link:delete'>;
  };
  readonly trash: { page: Method<'trash:page'> };
  readonly graph: {
    /** Walks all pages of the graph; nothing is missed while others write. `limit`: entities a page, 1 to 5000. */
    pages(options?: { limit?: number }): AsyncGenerator<GraphPage, void, undefined>;
  };
  /** Calls the listener with every slice, in the order of its feed's numbers; gives a function that ends this. */
  onDiff(listener: (slice: Slice) => void): Unlisten;
  /** Calls the listener where slices are lost for good: the graph has to be fetched again. */
  onGap(listener: (gap: Gap) => void): Unlisten;
  close(): void;
}

const SOCKET_PATH = '/ext-socket.io';
const DEFAULT_TIMEOUT_MS = 20_000;

/** Connects; rejects with a TaskgraphError where the token is refused, or no connection stands in time. */
export async function connect({
  url,
  token,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: ConnectOptions): Promise<TaskgraphClient> {
  const socket = io(url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { api_token: token },
    // Two clients of one program may be two users.
    forceNew: true,
    autoConnect: false,
  });
  const session = openSession(socket);
  try {
    await session.firstConnection(timeoutMs);
  } catch (error) {
    session.close();
    throw error;
  }
  return clientOf(session);
}

type Session = ReturnType<typeof openSession>;

/** Keeps one socket connected, and hands on what comes. */
function openSession(socket: Socket) {
  const queue = createCallQueue(socket);
  const diffListeners = new Set<(slice: Slice) => void>();
  const gapListeners = new Set<(gap: Gap) => void>();
  const order = createSliceOrder({
    deliver: (slice) => tellAll(diffListeners, slice),
    onGap: (gap) => tellAll(gapListeners, gap),
  });
  let connected: Connected | null = null;
  let reconnectTimer: ReturnType<typeof setTimeout> | null = null;
  let refusals = 0;

  const close = (error = clientError('closed', 'The client is closed.')) => {
    if (reconnectTimer !== null) clearTimeout(reconnectTimer);
    queue.close(error);
    order.stop();
    socket.disconnect();
  };
  const connectLater = () => {
    reconnectTimer = setTimeout(() => socket.connect(), retryWaitMs(++refusals));
  };
  socket.on('connected', (body: Connected) => {
    connected = body;
    refusals = 0;
    order.start(body.feeds);
    queue.setReady(true);
  });
  socket.on('graph:diff', (slice: Slice) => order.take(slice));
  socket.on('feeds:heads', ({ feeds }: { feeds: Record<string, number> }) => order.announce(feeds));
  socket.on('disconnect', (reason) => {
    queue.setReady(false);
    // Socket.IO repairs a broken connection by itself, but not one that the service has ended on purpose.
    if (reason === 'io server disconnect') connectLater();
  });
  socket.on('connect_error', (error: Error & { data?: unknown }) => {
    // Without data nobody answered, and Socket.IO tries again by itself.
    if (error.data === undefined) return;
    const refusal = errorOf(error.data);
    if (isPassing(refusal.code) || refusal.code === 'rate_limited') connectLater();
    else close(refusal);
  });
  return {
    queue,
    diffListeners,
    gapListeners,
    close,
    connected: () => connected!,
    firstConnection: (timeoutMs: number) => firstConnection(socket, timeoutMs),
  };
}

function firstConnection(socket: Socket, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let last = 'nobody answers';
    const timer = setTimeout(
      () => settle(() => reject(clientError('timeout', `There is no connection: ${last}`))),
      timeoutMs,
    );
    const onConnected = () => settle(resolve);
    const onError = (error: Error & { data?: unknown }) => {
      last = error.message;
      if (error.data === undefined) return;
      const refusal = errorOf(error.data);
      if (!isPassing(refusal.code) && refusal.code !== 'rate_limited') settle(() => reject(refusal));
    };
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      socket.off('connected', onConnected);
      socket.off('connect_error', onError);
      finish();
    };
    socket.on('connected', onConnected);
    socket.on('connect_error', onError);
    socket.connect();
  });
}

function tellAll<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
  for (const listener of listeners) listener(value);
}

function listenIn<T>(listeners: Set<T>, listener: T): Unlisten {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function clientOf(session: Session): TaskgraphClient {
  async function call<E extends EventName>(event: E, payload: Calls[E]['payload'], options: CallOptions = {}) {
    const { idempotencyKey = crypto.randomUUID(), timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const whole = isRead(event) ? payload : { ...payload, idempotencyKey };
    const answer = await session.queue.call({ event, payload: whole, deadline: Date.now() + timeoutMs });
    return answer as Calls[E]['answer'];
  }
  const method =
    <E extends EventName>(event: E): Method<E> =>
    (payload, options) =>
      call(event, payload, options);
  return {
    get connected() {
      return session.connected();
    },
    call,
    node: {
      add: method('node:add'),
      update: method('node:update'),
      trash: method('node:trash'),
      restore: method('node:restore'),
      delete: method('node:delete'),
    },
    link: {
      add: method('link:add'),
      update: method('link:update'),
      swap: method('link:swap'),
      trash: method('link:trash'),
      restore: method('link:restore'),
      delete: method('link:delete'),
    },
    trash: { page: method('trash:page') },
    graph: {
      async *pages({ limit } = {}) {
        let after: string | null = null;
        do {
          const payload: Calls['graph:get']['payload'] = limit === undefined ? {} : { limit };
          const page: GraphPage = await call('graph:get', after === null ? payload : { ...payload, after });
          yield page;
          after = page.hasMore ? page.next : null;
        } while (after !== null);
      },
    },
    onDiff: (listener) => listenIn(session.diffListeners, listener),
    onGap: (listener) => listenIn(session.gapListeners, listener),
    close: () => session.close(),
  };
}
