// Asks workers for account operations, and checks what they answer.
import type { Requester } from '@taskgraph/bus/request';
import { ACCOUNT_CALLS, type AccountAnswer, type AccountEvent, type AccountPayload } from '@taskgraph/wire/accounts';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
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
}

export function askAccounts({ requester, deadlineMs }: Options): AskAccounts {
  return async (event, payload, actor, { traceId, arrivedMs }) => {
    const deadline = arrivedMs + deadlineMs;
    const reply = await requester.read({ event, payload: { ...payload }, actor, deadline, traceId });
    if (!reply.ok) return refuse(reply.error, reply.message, reply.details);
    return ACCOUNT_CALLS[event].answer.parse(reply.body) as AccountAnswer<typeof event>;
  };
}
