// Account operations of gateways for tests: a real database and a clock that the test sets.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { proveKey, saltOf } from '@taskgraph/runtime/security/passwords';
import { prove } from '@taskgraph/runtime/security/signed-text';
import { issueTicket, passwordMark } from '@taskgraph/runtime/security/tickets';
import type { ActingUser } from '@taskgraph/wire/actor';
import {
  type AccountEvent,
  type AccountPayload,
  accountClaim,
  passwordClaim,
  sessionClaim,
} from '@taskgraph/wire/bus/account-messages';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';
import { resolvedTokens } from '@taskgraph/wire/bus/gateway-reads';
import { answerAccount } from '../../accounts/table.ts';
import { newId } from './harness.ts';
import { answerWhole, pagesOf } from './whole-reads.ts';

export const NOW = Date.UTC(2026, 5, 1);
const SECRET = 'a secret of this test';
type AccountMessage = ReadMessage & { event: AccountEvent };

export const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';

/** The key derived from the password of this hash. */
export function keyOf(passwordHash: string): Buffer {
  return Buffer.from(passwordHash.slice(passwordHash.lastIndexOf('$') + 1), 'base64');
}

/** The part of an answer that tests read. */
type Body = Record<string, never> & { token: { id: string }; tokens: { id: string }[]; user: ActingUser };

/** Operations on this database. `told` lists the messages to gateways. */
export function operations(database: Database) {
  const told: ControlMessage[] = [];
  let clockMs = NOW;
  const publishControl = (control: ControlMessage) => void told.push(control);
  const survey = () => Promise.reject(new Error('these tests have no bus'));
  const environment = () => ({
    database,
    secret: SECRET,
    nowMs: () => clockMs,
    pages: pagesOf(),
    publishControl,
    survey,
  });
  const fixed = () => ({ deadline: Date.now() + 60_000, traceId: 'test' });

  function ask<E extends AccountEvent>(
    event: E,
    payload: AccountPayload<E>,
    actor: ActingUser | null = null,
  ): Promise<ReplyMessage> {
    return say({ event, payload: { ...payload }, actor, ...fixed() });
  }

  /**
   * The answer to a message signed with this secret; null leaves it unsigned. `changed` alters the
   * message after it was signed.
   */
  function say(message: AccountMessage, secret: string | null = SECRET, changed: Partial<AccountMessage> = {}) {
    const proof = secret === null ? {} : { proof: prove(secret, 'account', accountClaim(message)) };
    return answerAccount({ ...message, ...proof, ...changed }, environment());
  }

  /** A read that must succeed. */
  async function read(event: string, payload: Record<string, unknown>, actor: ActingUser | null = null) {
    const reply = await answerWhole({ event, payload, actor, ...fixed() }, environment());
    if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
    return reply.body;
  }

  /** As a gateway of this release asks; the previous one does not send `scopes`. */
  const resolveAll = async (hashes: string[], more: { scopes?: true } = { scopes: true }) =>
    resolvedTokens.parse(await read('tokens:resolve', { hashes, ...more })).identities;

  return {
    told,
    ask,
    say,
    read,
    /** Sets the clock to this many milliseconds after NOW. */
    setClock: (afterMs: number) => {
      clockMs = NOW + afterMs;
    },
    /** An operation that must succeed. */
    async done<E extends AccountEvent>(event: E, payload: AccountPayload<E>, actor: ActingUser | null = null) {
      const reply = await ask(event, payload, actor);
      if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
      return reply.body as Body;
    },
    resolveAll,
    resolve: async (hash: string) => {
      const [found] = await resolveAll([hash]);
      if (found === undefined) return null;
      const { hash: _, ...identity } = found;
      return identity;
    },
    check: async (tokens: string[]) => (await read('tokens:check', { tokens })).valid,
  };
}

const LATER_MS = NOW + 60 * 60_000;

/** The mails that gateways send. */
export const tickets = {
  registration: ({ id, email }: { id: string; email: string }, expiresMs = LATER_MS) =>
    issueTicket(SECRET, 'registration', { id, email }, expiresMs),
  reset: ({ id, email }: { id: string; email: string }, passwordHash: string | null, expiresMs = LATER_MS) => {
    const mark = passwordMark(passwordHash === null ? null : saltOf(passwordHash));
    return issueTicket(SECRET, 'password-reset', { userId: id, email, mark }, expiresMs);
  },
  signIn: (userId: string, id: string, passwordHash: string | null, expiresMs = LATER_MS) => {
    const mark = passwordMark(passwordHash === null ? null : saltOf(passwordHash));
    return issueTicket(SECRET, 'sign-in-link', { userId, id, mark }, expiresMs);
  },
};

type Token = ReturnType<typeof newToken>;

/** The proof that opens a session: from the password of this hash, or from a provider. */
export function opening(userId: string, token: Token, passwordHash: string | null = null) {
  const proof = passwordHash === null ? null : proveKey(keyOf(passwordHash), sessionClaim({ userId, token }));
  return { userId, token, proof };
}

/** The message that changes the password of this hash. */
export function changing(userId: string, before: string, { keep, after }: { keep: string; after: string }) {
  return { proof: proveKey(keyOf(before), passwordClaim({ userId, keep, after })), after, keep };
}

let serial = 0;

/** A new token each time, as a gateway creates it. */
export function newToken(more: { expires?: string | null; readOnly?: boolean; name?: string } = {}) {
  const hash = (++serial).toString(16).padStart(8, '0') + newId(0).replaceAll('-', '') + 'a'.repeat(24);
  return { id: newId(0), hash, prefix: 'tg_abcd', name: '', readOnly: false, expires: null, ...more };
}
