// The kinds of clients: REST and a plain socket without retries, the SDK's connection, and a
// replica's outbox.

import { type Calls, type CommandName, connect, type EventName, openReplica, TaskgraphError } from '@taskgraph/client';
import { createReconnectingSocket } from '@taskgraph/testkit/stack/raw-socket';
import { operationOf } from '@taskgraph/wire/operations/operations';

/** `away`: the service reported that it did not execute the call, and the client may retry. */
export type Reply =
  | { readonly kind: 'done'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused' | 'away'; readonly code: string; readonly details: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Caller {
  readonly name: string;
  /** Makes one attempt. A read has no key. */
  call(event: string, payload: Readonly<Record<string, unknown>>, key: string | null): Promise<Reply>;
  /** Whether it also reads. */
  readonly reads: boolean;
  close(): Promise<void>;
}

export interface CallerOptions {
  readonly name: string;
  readonly urls: readonly [string, string];
  readonly token: string;
  /** The time limit of an attempt, milliseconds. Default: 12 s, and 30 s for a replica. */
  readonly tryMs?: number;
}

const TRY_MS = 12_000;
const REPLICA_TRY_MS = 30_000;
const WITHOUT_ANSWER = /^(client\.|internal)/;

/** A refusal, from its body. */
function readRefusal(body: unknown): Reply {
  const { error, details } = (body ?? {}) as { error?: string; details?: Record<string, unknown> };
  if (typeof error !== 'string' || WITHOUT_ANSWER.test(error)) return { kind: 'unknown', why: error ?? 'no body' };
  if (error !== 'unavailable') return { kind: 'refused', code: error, details: details ?? {} };
  if (details?.outcome === 'not_done') return { kind: 'away', code: error, details };
  return { kind: 'unknown', why: error };
}

/** Calls both gateways in turn, as through a load balancer. */
export function restCaller({ name, urls, token, tryMs = TRY_MS }: CallerOptions): Caller {
  let turn = 0;
  return {
    name,
    reads: true,
    async call(event, payload, key) {
      const { method, path } = operationOf(event)?.transports.rest ?? { method: '', path: '' };
      const url = new URL(`${urls[turn++ % urls.length]}${path}`);
      const isRead = method === 'GET';
      if (isRead) for (const [field, value] of Object.entries(payload)) url.searchParams.set(field, String(value));
      const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      if (key !== null) headers['idempotency-key'] = key;
      const body = isRead ? {} : { body: JSON.stringify(payload) };
      try {
        const answer = await fetch(url, { method, headers, ...body, signal: AbortSignal.timeout(tryMs) });
        const told = (await answer.json()) as Record<string, unknown>;
        return answer.ok ? { kind: 'done', body: told } : readRefusal(told);
      } catch (error) {
        return { kind: 'unknown', why: describeFetchFailure(error) };
      }
    },
    close: async () => undefined,
  };
}

/** `fetch` names the failure of a connection in the error's cause alone. */
function describeFetchFailure(error: unknown): string {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === undefined ? String(error) : `${error}: ${cause.code}`;
}

export async function socketCaller({ name, urls, token, tryMs = TRY_MS }: CallerOptions): Promise<Caller> {
  const socket = createReconnectingSocket(urls[0], { api_token: token });
  socket.connect();
  return {
    name,
    reads: true,
    async call(event, payload, key) {
      try {
        const told = await socket
          .timeout(tryMs)
          .emitWithAck(event, key === null ? payload : { ...payload, idempotencyKey: key });
        return told.ok === true ? { kind: 'done', body: told } : readRefusal(told);
      } catch (error) {
        return { kind: 'unknown', why: String(error) };
      }
    },
    async close() {
      socket.disconnect();
    },
  };
}

export async function sdkCaller({ name, urls, token, tryMs = TRY_MS }: CallerOptions): Promise<Caller> {
  const client = await connect({ url: urls[1], token });
  return {
    name,
    reads: true,
    call: (event, payload, key) =>
      settle(
        client.call(event as EventName, payload as Calls[EventName]['payload'], {
          ...(key === null ? {} : { idempotencyKey: key }),
          timeoutMs: tryMs,
        }),
      ),
    close: async () => client.close(),
  };
}

/** Its commands wait in the outbox while there is no connection. */
export async function replicaCaller({ name, urls, token, tryMs = REPLICA_TRY_MS }: CallerOptions): Promise<Caller> {
  const replica = await openReplica({ url: urls[0], token });
  return {
    name,
    reads: false,
    async call(event, payload, key) {
      const late = new AbortController();
      const limit = new Promise<Reply>((resolve) => {
        const timer = setTimeout(() => resolve({ kind: 'unknown', why: 'late' }), tryMs);
        late.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      const sent = settle(replica.send(event as CommandName, payload as never, key === null ? {} : { key }));
      return Promise.race([sent, limit]).finally(() => late.abort());
    },
    close: () => replica.close(),
  };
}

/** The SDK retries on its own, so its last error does not tell the outcome of earlier attempts. */
async function settle(call: Promise<unknown>): Promise<Reply> {
  try {
    return { kind: 'done', body: (await call) as Record<string, unknown> };
  } catch (error) {
    if (!(error instanceof TaskgraphError)) throw error;
    if (error.code === 'unavailable' || WITHOUT_ANSWER.test(error.code)) return { kind: 'unknown', why: error.code };
    return { kind: 'refused', code: error.code, details: error.details };
  }
}
