// Calls of account routes as a program or a browser makes them, and sockets that tell when they are
// closed.
import { io, type Socket } from 'socket.io-client';

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown> & { ok: boolean; error?: string };
  /** Cookies that the answer sets, by name, with their attributes behind the value. */
  readonly cookies: Readonly<Record<string, string>>;
  readonly location: string | null;
}

interface Request {
  readonly token?: string | undefined;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** One request; redirects are not followed. */
export async function call(url: string, method: string, path: string, request: Request = {}): Promise<Reply> {
  const { token, body, headers = {} } = request;
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const cookies = response.headers.getSetCookie().map((line) => {
    const end = line.indexOf('=');
    return [line.slice(0, end), line.slice(end + 1)] as const;
  });
  return {
    status: response.status,
    body: JSON.parse(text) as Reply['body'],
    cookies: Object.fromEntries(cookies),
    location: response.headers.get('location'),
  };
}

/** Signs in by password; gives the session. */
export async function signIn(url: string, email: string, password: string): Promise<string> {
  const { body } = await call(url, 'POST', '/api/login', { body: { email, password } });
  if (typeof body.session !== 'string') throw new Error(`${email} can't sign in: ${JSON.stringify(body)}`);
  return body.session;
}

export interface Line {
  readonly socket: Socket;
  readonly connected: Record<string, unknown>;
  /** When it was closed, in milliseconds since 1970, and why. */
  closed: { readonly atMs: number; readonly reason: string } | null;
}

/** A connected socket; rejects with what a refused connection is told. */
export function dial(url: string, auth: object, headers: Record<string, string> = {}): Promise<Line> {
  const fixed = { path: '/ext-socket.io', transports: ['websocket'], forceNew: true, reconnection: false };
  const socket = io(url, { ...fixed, auth, extraHeaders: headers });
  return new Promise((resolve, reject) => {
    socket.on('connected', (connected: Record<string, unknown>) => {
      const line: Line = { socket, connected, closed: null };
      socket.on('disconnect', (reason) => {
        line.closed = { atMs: Date.now(), reason };
      });
      resolve(line);
    });
    socket.on('connect_error', reject);
  });
}
