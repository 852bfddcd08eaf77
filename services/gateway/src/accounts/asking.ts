// Asks workers for account operations, and checks what they answer.
import type { Requester } from '@taskgraph/bus/requests/request';
import { prove, type Secrets } from '@taskgraph/runtime/security/signed-text';
import {
  ACCOUNT_CALLS,
  type AccountAnswer,
  type AccountEvent,
  type AccountPayload,
  accountClaim,
} from '@taskgraph/wire/accounts';
import { type Refusal, refusalOf, refuse } from '@taskgraph/wire/errors';
import type { ActingUser } from '@taskgraph/wire/messages';
import type { Circumstances } from './route.ts';

/** Asks for one operation, by its event; `actor` is who asks, or null where nobody is known yet. */
export type AskAccounts = <E extends AccountEvent>(
  event: E,
  payload: AccountPayload<E>,
  actor: ActingUser | null,
  circumstances: Pick<Circumstances, 'traceId' | 'arrivedMs'>,
) => Promise<AccountAnswer<E> | Refusal>;

interface Options {
  readonly requester: Pick<Requester, 'read'>;
  /** Milliseconds that a request may take, hashing included. */
  readonly deadlineMs: number;
  /** That of the workers, by which they know a gateway. */
  readonly secret: Secrets;
}

export function askAccounts({ requester, deadlineMs, secret }: Options): AskAccounts {
  return async (event, payload, actor, { traceId, arrivedMs }) => {
    const deadline = arrivedMs + deadlineMs;
    const message = { event, payload: { ...payload }, actor, deadline };
    const reply = await requester.read({ ...message, traceId, proof: prove(secret, 'account', accountClaim(message)) });
    if (!reply.ok && reply.error === 'unavailable') return refuse(reply.error, reply.message, outcomeOf(event));
    if (!reply.ok) return refusalOf(reply);
    return ACCOUNT_CALLS[event].answer.parse(reply.body) as AccountAnswer<typeof event>;
  };
}

/** Questions that change nothing; no route asks one after it has changed something. */
const QUESTIONS: ReadonlySet<AccountEvent> = new Set([
  'account:find',
  'account:me',
  'account:sessions',
  'account:tokens',
  'account:users',
]);

/** The outcome of a request that no worker has answered (GEN3). */
function outcomeOf(event: AccountEvent): { readonly outcome: 'not_done' | 'unknown' } {
  return { outcome: QUESTIONS.has(event) ? 'not_done' : 'unknown' };
}
