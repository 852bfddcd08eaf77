// A socket to a model server over a connection that loses, doubles, reorders and truncates pushes,
// loses answers, and breaks.
import type { Socket } from 'socket.io-client';
import { addNode, changeNode, trashNode } from './model-actions.ts';
import type { ModelServer, Push } from './model-server.ts';

/** The probability of each fault, from 0 to 1. */
export interface Faults {
  readonly lose: number;
  readonly double: number;
  readonly truncate: number;
  /** Most milliseconds of a message. */
  readonly delayMs: number;
}

export const NO_FAULTS: Faults = { lose: 0, double: 0, truncate: 0, delayMs: 5 };

/**
 * Receives each removal when it reaches the reader. `commit` is the number of its batch.
 */
export interface RemovalListener {
  /** A feed is no longer read. */
  lost(feed: string, commit: number): void;
  /** An entity left a feed. */
  left(feed: string, id: string, commit: number): void;
  /** An entity is gone from all feeds. */
  gone(id: string, commit: number): void;
}

export type FaultyConnection = ReturnType<typeof createFaultyConnection>;

type Handler = (body: unknown) => void;
type Ack = (error: Error | null, body?: unknown) => void;

const CALL_LIMITS: Readonly<Record<string, { readonly calls: number; readonly perMs: number }>> = {
  'changes:get': { calls: 30, perMs: 10_000 },
  'graph:get': { calls: 5, perMs: 10_000 },
  'graph:walk': { calls: 80, perMs: 10_000 },
};

/** `random` returns numbers from 0 to 1. */
export function createFaultyConnection(server: () => ModelServer, heard: RemovalListener, random: () => number) {
  let faults = NO_FAULTS;
  let current: ReturnType<typeof openSocket> | null = null;
  let isOpen = true;
  const calls = new Map<string, number[]>();
  const sent: string[] = [];
  /** The feeds that the reader knows. */
  let known = new Set<string>();

  /** Milliseconds to wait for a rate limit, or 0. */
  function waitOf(event: string): number {
    const limit = CALL_LIMITS[event];
    if (limit === undefined) return 0;
    const now = Date.now();
    const recent = (calls.get(event) ?? []).filter((at) => at > now - limit.perMs);
    calls.set(event, recent);
    if (recent.length >= limit.calls) return (recent[0] as number) + limit.perMs - now;
    recent.push(now);
    return 0;
  }

  function answer(event: string, payload: Record<string, unknown>): Record<string, unknown> {
    const limit = event === 'graph:get' && payload.after !== undefined ? 'graph:walk' : event;
    const waitMs = waitOf(limit);
    if (waitMs > 0) return { ok: false, error: 'rate_limited', message: '', details: { retryAfterMs: waitMs, limit } };
    if (event === 'changes:get') return server().changes(payload as never);
    if (event === 'graph:get') return server().graphPage(payload);
    sent.push(String(payload.idempotencyKey));
    return runCommand(server(), event, payload);
  }

  function openSocket() {
    const handlers = new Map<string, Handler>();
    const waiting = new Set<Ack>();
    let isConnected = false;
    let isDead = false;
    /** Counts connections: a message of one never arrives over the next. */
    let generation = 0;
    const receive = (event: string, body: unknown) => {
      if (isConnected && !isDead) handlers.get(event)?.(body);
    };
    const later = (act: () => void) => {
      const sentIn = generation;
      setTimeout(() => {
        if (sentIn === generation) act();
      }, random() * faults.delayMs);
    };
    const connect = () => {
      setTimeout(
        () => {
          if (isDead || isConnected || !isOpen) return;
          isConnected = true;
          const heads = server().headsOf();
          for (const feed of known) if (!(feed in heads)) heard.lost(feed, server().history.length - 1);
          known = new Set(Object.keys(heads));
          receive('connected', {
            uid: 'me',
            client: 'api',
            serverTime: '',
            feeds: heads,
            position: server().position(),
          });
        },
        20 + random() * 200,
      );
    };
    const lost = (reason: string) => {
      if (!isConnected) return;
      isConnected = false;
      generation++;
      handlers.get('disconnect')?.(reason as never);
      for (const ack of waiting) ack(new Error('socket has been disconnected'));
      waiting.clear();
    };
    const emit = (timeoutMs: number) => (event: string, payload: Record<string, unknown>, ack: Ack) => {
      const timer = setTimeout(() => finish(new Error('operation has timed out')), timeoutMs);
      const finish = (error: Error | null, body?: unknown) => {
        if (!waiting.delete(settle)) return;
        clearTimeout(timer);
        ack(error, body);
      };
      const settle: Ack = (error) => finish(error);
      waiting.add(settle);
      // Only the same connection receives the answer. If it broke meanwhile, the call may have run.
      const askedIn = generation;
      setTimeout(() => {
        if (askedIn !== generation && random() < 0.5) return;
        const body = structuredClone(answer(event, payload));
        if (askedIn === generation) later(() => finish(null, body));
      }, random() * faults.delayMs);
    };
    return {
      receive,
      later,
      lost,
      isConnected: () => isConnected && !isDead,
      connect,
      end: () => {
        isDead = true;
        isConnected = false;
      },
      socket: {
        on: (event: string, handler: Handler) => void handlers.set(event, handler),
        connect,
        disconnect: () => {
          isDead = true;
          lost('io client disconnect');
        },
        timeout: (ms: number) => ({ emit: emit(ms) }),
      } as unknown as Socket,
    };
  }

  function deliver({ slice, news, commit }: Push): void {
    const to = current;
    if (to === null || !to.isConnected() || random() < faults.lose) return;
    const truncated = random() < faults.truncate ? { feed: slice.feed, seq: slice.seq, truncated: true } : null;
    const send = () =>
      to.later(() => {
        if (!to.isConnected()) return;
        if (truncated === null) reportRemovals(slice, commit, heard);
        for (const { feed, change } of news) {
          if (change === 'gained') known.add(feed);
          if (change === 'lost') heard.lost(feed, commit);
        }
        // Both arrive in one turn, as over one socket.
        to.receive('graph:diff', structuredClone(truncated ?? slice));
        for (const each of news) to.receive('access:changed', { ...each, seq: slice.seq });
      });
    send();
    if (random() < faults.double) send();
  }

  return {
    push(pushes: readonly Push[], heads: Record<string, number>): void {
      for (const push of pushes) deliver(push);
      const to = current;
      if (Object.keys(heads).length > 0) to?.later(() => to.receive('feeds:heads', { feeds: heads }));
    },
    /** Announces the heads, as the service does about every ten seconds. */
    announceHeads(): void {
      const to = current;
      const feeds = server().headsOf();
      to?.later(() => to.receive('feeds:heads', { feeds }));
    },
    setFaults(next: Faults): void {
      faults = next;
    },
    /** A socket for a new client. The previous one is dead, as after a crash. */
    open(): Socket {
      current?.end();
      current = openSocket();
      return current.socket;
    },
    /** Ends the socket without an event. */
    end: () => current?.end(),
    /** Breaks the connection. It reconnects, unless it is closed. */
    cut(): void {
      const broken = current;
      broken?.lost('transport close');
      if (isOpen) broken?.connect();
    },
    close(): void {
      isOpen = false;
      current?.lost('transport close');
    },
    reopen(): void {
      isOpen = true;
      current?.connect();
    },
    /** The keys of received commands, in order. */
    sent,
  };
}

/** Reports the removals of a slice. */
function reportRemovals(slice: Push['slice'], commit: number, heard: RemovalListener): void {
  for (const kind of ['nodes', 'links'] as const) {
    for (const { after } of slice[kind] as { after: Record<string, unknown> }[]) {
      if (after.inTrash === true || after.deleted === true) heard.gone(String(after.id), commit);
    }
    for (const id of (slice.left as Record<string, string[]> | undefined)?.[kind] ?? [])
      heard.left(slice.feed, id, commit);
  }
}

function runCommand(server: ModelServer, event: string, payload: Record<string, unknown>): Record<string, unknown> {
  const key = String(payload.idempotencyKey);
  const node = server.state.nodes.get(String(payload.id));
  const refuse = (error: string) => ({ ok: false, error, message: '' });
  if (event === 'node:add') {
    const id = server.newId('n');
    return server.command(key, (state) => [addNode(state, id, { mine: true, title: String(payload.title) })]);
  }
  if (node === undefined) return refuse('not_found');
  if (server.visible().nodes.get(node.id) === undefined && !node.mine) return refuse('forbidden');
  if ((server.visible().nodes.get(node.id) ?? 0) > 2) return refuse('forbidden');
  if (event === 'node:trash') {
    return node.inTrash ? refuse('conflict.already_trashed') : server.command(key, (state) => trashNode(node, state));
  }
  return server.command(key, () => [changeNode(node, 1, { title: String(payload.title) })]);
}
