// Calls of a running stack by REST and by a raw socket, each by its event, and the common form of
// both answers.
import { readFileSync } from 'node:fs';
import { connectRawSocket, type RawSocket } from '@taskgraph/testkit/stack/raw-socket';
import type { RunningStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';

export type Body = Record<string, unknown> & { ok: boolean; error?: string; trace_id?: string };

/** An answer. `status` is null over sockets; `text` is the transmitted text, or its equivalent. */
export interface TransportAnswer {
  readonly status: number | null;
  readonly body: Body;
  readonly text: string;
}

/** Makes one call by its event. */
export type Call = (event: string, payload: object) => Promise<TransportAnswer>;

/** Method and path of each event, as docs/interface.md says. */
const ROUTES = routesIn(readFileSync(new URL('../../../../../docs/interface.md', import.meta.url), 'utf8'));

function routesIn(document: string): ReadonlyMap<string, readonly [method: string, path: string]> {
  const rows = document.matchAll(/^\| `([a-z:]+)` \| `([A-Z]+) ([a-z/]+)`/gm);
  return new Map([...rows].map(([, event = '', method = '', path = '']) => [event, [method, path]]));
}

/** Calls by REST; without a token, without an account. */
export function restCall(url: string, token?: string): Call {
  return async (event, payload) => {
    const [method, path] = ROUTES.get(event) ?? [];
    if (method === undefined || path === undefined) throw new Error(`no route is known of ${event}`);
    return sendRest(url + path, { method, payload, token });
  };
}

/** One request. Reads have their fields in the query, other calls in a JSON body. */
export async function sendRest(
  url: string,
  { method, payload, token }: { method: string; payload: object; token?: string | undefined },
): Promise<TransportAnswer> {
  const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response =
    method === 'GET'
      ? await fetch(`${url}?${queryOf(payload)}`, { headers: authorization })
      : await fetch(url, {
          method,
          headers: { ...authorization, 'Content-Type': 'application/json' },
          body: JSON.stringify(payload),
        });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Body, text };
}

/** The conditions of a search are parameters of their own. */
export function queryOf({ where = {}, ...payload }: { readonly where?: object }): string {
  const members = Object.entries(where).flatMap(([name, value]) => membersOf(name, value));
  const fields = [...Object.entries(payload), ...members].map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(fields as [string, string][]).toString();
}

function membersOf(name: string, value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]];
  return Object.entries(value).map(([member, inner]) => [`${name}.${member}`, inner]);
}

/** Calls over a raw socket. */
export function socketCall(socket: RawSocket): Call {
  return async (event, payload) => {
    const body: Body = await socket.timeout(120_000).emitWithAck(event, payload);
    return { status: null, body, text: JSON.stringify(body) };
  };
}

/**
 * The code of an answer, or null for success. If the answer is malformed, a description of the
 * fault (GEN3).
 */
export function verdictOf({ status, body }: TransportAnswer): string | null {
  if (!/^[0-9a-f]{32}$/.test(String(body.trace_id))) return `no trace id: ${JSON.stringify(body)}`;
  if (body.ok) return status === null || status === 200 ? null : `status ${status} with ok`;
  const { error = '', message } = body;
  if (typeof message !== 'string' || message === '') return `${error} without a message`;
  return status === null || status === statusOf(error) ? error : `${error} with status ${status}`;
}

/** The status of a code by GEN3. */
function statusOf(code: string): number {
  if (code === 'bad_request.too_large') return 413;
  const [family = ''] = code.split('.');
  const families: Record<string, number> = {
    unauthorized: 401,
    forbidden: 403,
    no_permission: 403,
    not_found: 404,
    version_conflict: 409,
    conflict: 409,
    rate_limited: 429,
    internal: 500,
    unavailable: 503,
  };
  return families[family] ?? 400;
}

export const TRANSPORTS = ['REST', 'socket'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A user of a stack, with calls by both transports. */
export interface User extends Readonly<Record<Transport, Call>> {
  readonly email: string;
  readonly token: string;
  readonly connection: RawSocket;
}

/** Creates a user and connects its raw socket. */
export async function userOf(stack: RunningStack, name: string): Promise<User> {
  const [email, url] = [emailOf(name), stack.urls[0] as string];
  const token = await stack.token(email);
  const connection = await connectRawSocket(url, { auth: { api_token: token } });
  return { email, token, connection, REST: restCall(url, token), socket: socketCall(connection) };
}
