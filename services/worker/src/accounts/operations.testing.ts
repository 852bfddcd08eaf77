// Account operations in tests, as gateways ask for them: on a real database, with a clock of the test's own.
import type { Database } from '@taskgraph/graph-store/database';
import type { AccountEvent, AccountPayload } from '@taskgraph/wire/accounts';
import type { ActingUser, ControlMessage, ReplyMessage } from '@taskgraph/wire/messages';
import { newId } from '../harness.testing.ts';
import { answerRead } from '../reads.ts';
import { answerAccount } from './table.ts';

export const NOW = Date.UTC(2026, 5, 1);
export const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';

/** What tests look at in an answer. */
type Body = Record<string, never> & { token: { id: string }; tokens: { id: string }[]; user: ActingUser };

/** Operations on this database; `told` is what gateways were told. */
export function operations(database: Database) {
  const told: ControlMessage[] = [];
  let clockMs = NOW;
  const tell = (control: ControlMessage) => void told.push(control);
  const environment = () => ({ database, secret: 'a secret of this test', nowMs: () => clockMs, tell });
  const fixed = () => ({ deadline: Date.now() + 60_000, traceId: 'test' });

  function ask<E extends AccountEvent>(
    event: E,
    payload: AccountPayload<E>,
    actor: ActingUser | null = null,
  ): Promise<ReplyMessage> {
    return answerAccount({ event, payload: { ...payload }, actor, ...fixed() }, environment());
  }

  /** A read that must succeed. */
  async function read(event: string, payload: Record<string, unknown>, actor: ActingUser | null = null) {
    const reply = await answerRead({ event, payload, actor, ...fixed() }, environment());
    if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
    return reply.body;
  }

  return {
    told,
    ask,
    read,
    /** Sets the clock, by milliseconds after NOW. */
    setClock: (afterMs: number) => {
      clockMs = NOW + afterMs;
    },
    /** An operation that must succeed. */
    async done<E extends AccountEvent>(event: E, payload: AccountPayload<E>, actor: ActingUser | null = null) {
      const reply = await ask(event, payload, actor);
      if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
      return reply.body as Body;
    },
    resolve: async (hash: string) => (await read('token:resolve', { hash })).identity,
    check: async (tokens: string[]) => (await read('tokens:check', { tokens })).valid,
  };
}

let serial = 0;

/** A token of its own each time, as a gateway makes it. */
export function newToken(more: { expires?: string | null; readOnly?: boolean; name?: string } = {}) {
  const hash = (++serial).toString(16).padStart(8, '0') + newId(0).replaceAll('-', '') + 'a'.repeat(24);
  return { id: newId(0), hash, prefix: 'tg_abcd', name: '', readOnly: false, expires: null, ...more };
}
