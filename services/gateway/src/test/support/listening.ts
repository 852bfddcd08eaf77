// Bare sockets at a running stack, which ask for nothing and keep all that they are sent.
import type { RunningStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeAll, expect } from 'vitest';

/** How long a slice, or the end of a socket, may take. */
export const WAIT = { timeout: 120_000, interval: 25 };

interface Entry {
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** An ack or a pushed event, as far as these tests look. */
export interface Body {
  readonly ok?: boolean;
  readonly error?: string;
  readonly feed?: string;
  readonly seq?: number;
  readonly feeds?: Record<string, number>;
  readonly nodes?: readonly Entry[];
  readonly diff?: { readonly nodes: readonly Entry[]; readonly links: readonly Entry[] };
}

/** A connected socket, and all that it was sent, in order; `closed` is the reason of its end. */
export interface Listener {
  readonly socket: Socket;
  readonly events: [event: string, body: Body][];
  closed: string | null;
}

/**
 * Makes the users before the tests of a file, and closes after each test the sockets that it
 * opened.
 */
export function listenAt(stack: Pick<RunningStack, 'urls' | 'token'>, names: readonly string[]) {
  const tokens: Record<string, string> = {};
  const open: Socket[] = [];
  beforeAll(async () => {
    for (const name of names) tokens[name] = await stack.token(emailOf(name));
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });

  /**
   * Resolves when the service has said `connected`; rejects with what a refused connection is told.
   */
  function dial(gateway: number, auth: object): Promise<Listener> {
    const fixed = { path: '/ext-socket.io', transports: ['websocket'], forceNew: true, reconnection: false };
    const socket = io(stack.urls[gateway]!, { ...fixed, auth });
    open.push(socket);
    const listener: Listener = { socket, events: [], closed: null };
    socket.onAny((event: string, body: Body) => listener.events.push([event, body]));
    socket.on('disconnect', (reason) => {
      listener.closed = reason;
    });
    return new Promise((resolve, reject) => {
      socket.on('connected', () => resolve(listener));
      socket.on('connect_error', reject);
    });
  }

  return {
    tokens,
    dial,
    dialAs: (name: string, gateway: number) => dial(gateway, { api_token: tokens[name] }),
  };
}

/** Makes a call that must go well. */
export async function call({ socket }: Listener, event: string, payload: object): Promise<Body> {
  const body: Body = await socket.timeout(120_000).emitWithAck(event, payload);
  expect(body).toMatchObject({ ok: true });
  return body;
}
