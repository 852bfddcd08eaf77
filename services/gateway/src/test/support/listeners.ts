// Raw sockets at a running stack that record every event.
import { openRawSocket, type RawSocket, untilConnected } from '@taskgraph/testkit/stack/raw-socket';
import type { RunningStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterEach, beforeAll, expect } from 'vitest';

/** The time limit for a slice or for the end of a socket. */
export const WAIT = { timeout: 120_000, interval: 25 };

interface DiffEntry {
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** The fields of an ack or a pushed event that these tests read. */
export interface Body {
  readonly ok?: boolean;
  readonly error?: string;
  readonly feed?: string;
  readonly seq?: number;
  readonly feeds?: Record<string, number>;
  readonly nodes?: readonly DiffEntry[];
  readonly diff?: { readonly nodes: readonly DiffEntry[]; readonly links: readonly DiffEntry[] };
}

/** A connected socket with its events in order of arrival; `closed` is the reason of its end. */
export interface Listener {
  readonly socket: RawSocket;
  readonly events: [event: string, body: Body][];
  closed: string | null;
}

/** Creates the users before the tests of a file, and closes the sockets after each test. */
export function listenAt(stack: Pick<RunningStack, 'urls' | 'token'>, names: readonly string[]) {
  const tokens: Record<string, string> = {};
  const open: RawSocket[] = [];
  beforeAll(async () => {
    for (const name of names) tokens[name] = await stack.token(emailOf(name));
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });

  /** A connected socket. Rejects with the error of a refused connection. */
  async function dial(gateway: number, auth: object): Promise<Listener> {
    const socket = openRawSocket(stack.urls[gateway]!, { auth });
    open.push(socket);
    const listener: Listener = { socket, events: [], closed: null };
    socket.onAny((event: string, body: Body) => listener.events.push([event, body]));
    socket.on('disconnect', (reason) => {
      listener.closed = reason;
    });
    await untilConnected(socket);
    return listener;
  }

  return {
    tokens,
    dial,
    dialAs: (name: string, gateway: number) => dial(gateway, { api_token: tokens[name] }),
  };
}

/** Makes a call that must succeed. */
export async function call({ socket }: Listener, event: string, payload: object): Promise<Body> {
  const body: Body = await socket.timeout(120_000).emitWithAck(event, payload);
  expect(body).toMatchObject({ ok: true });
  return body;
}
