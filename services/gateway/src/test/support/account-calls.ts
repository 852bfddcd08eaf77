// REST calls of the account routes as programs and browsers make them, and sockets that record
// their end.
import { openRawSocket, type RawSocket, untilConnected } from '@taskgraph/testkit/stack/raw-socket';

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

export interface AccountSocket {
  readonly socket: RawSocket;
  readonly connected: Record<string, unknown>;
  /** The time and the reason of its end, in milliseconds since 1970. */
  readonly closed: { readonly atMs: number; readonly reason: string } | null;
}

/** A connected socket. Rejects with the error of a refused connection. */
export async function dial(url: string, auth: object, headers: Record<string, string> = {}): Promise<AccountSocket> {
  const socket = openRawSocket(url, { auth, headers });
  let closed: AccountSocket['closed'] = null;
  socket.on('disconnect', (reason) => {
    closed = { atMs: Date.now(), reason };
  });
  const connected = await untilConnected(socket);
  return {
    socket,
    connected,
    get closed() {
      return closed;
    },
  };
}
