// Sends account operations to workers, with a proof, and validates the answers. The answer to one that ends
// tokens or sessions waits until no gateway accepts these. Rules: AUTH2, BOT2, BOT3.
import type { Requester } from '@taskgraph/bus/requests/request';
import { prove, type Secrets } from '@taskgraph/runtime/security/signed-text';
import type { ActingUser } from '@taskgraph/wire/actor';
import {
  ACCOUNT_MESSAGES,
  type AccountAnswer,
  type AccountEvent,
  type AccountPayload,
  accountClaim,
} from '@taskgraph/wire/bus/account-messages';
import { refusalOf } from '@taskgraph/wire/bus/calls';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { TOKEN_CACHE_MS } from '../auth/authentication.ts';
import type { RequestContext } from './route.ts';

/** Sends one operation. `actor` is the caller, or null for an anonymous call. */
export type AskAccounts = <E extends AccountEvent>(
  event: E,
  payload: AccountPayload<E>,
  actor: ActingUser | null,
  context: Pick<RequestContext, 'traceId' | 'arrivedMs' | 'answerFrom'>,
) => Promise<AccountAnswer<E> | Refusal>;

interface AccountClientOptions {
  readonly requester: Pick<Requester, 'read'>;
  /** Milliseconds for a request, including password hashing. */
  readonly deadlineMs: number;
  /** The secret shared with the workers, which proves that a gateway sends the operation. */
  readonly secret: Secrets;
}

export function createAskAccounts({ requester, deadlineMs, secret }: AccountClientOptions): AskAccounts {
  return async (event, payload, actor, { traceId, arrivedMs, answerFrom }) => {
    const deadline = arrivedMs + deadlineMs;
    const message = { event, payload: { ...payload }, actor, deadline };
    const reply = await requester.read({ ...message, traceId, proof: prove(secret, 'account', accountClaim(message)) });
    if (!reply.ok && reply.error === 'unavailable') return refuse(reply.error, reply.message, outcomeOf(event));
    if (!reply.ok) return refusalOf(reply);
    const answer = ACCOUNT_MESSAGES[event].answer.parse(reply.body) as AccountAnswer<typeof event>;
    if (ENDS.has(event) && !isEnabling(event, payload))
      answerFrom(performance.now() + TOKEN_CACHE_MS + CLOCK_MARGIN_MS);
    return answer;
  };
}

/** Operations that end tokens or sessions, without signing in and out. */
const ENDS: ReadonlySet<AccountEvent> = new Set([
  'account:session:end',
  'account:sessions:end',
  'account:password',
  'account:reset',
  'account:token:rotate',
  'account:token:revoke',
  'account:bot:remove',
  'account:bot:token:rotate',
  'account:bot:token:revoke',
  'account:disable',
  'account:admin:session:end',
  'account:admin:token:revoke',
]);
/** Timers may be early by a millisecond, and clocks of gateways differ in their speed. */
const CLOCK_MARGIN_MS = 10;

/** Whether an operation enables a user again, and so ends nothing. */
function isEnabling(event: AccountEvent, payload: object): boolean {
  return event === 'account:disable' && 'disabled' in payload && payload.disabled === false;
}

/** Operations that change nothing; no route sends one after a change. */
const READS: ReadonlySet<AccountEvent> = new Set([
  'account:find',
  'account:me',
  'account:sessions',
  'account:tokens',
  'account:bots',
  'account:bot:tokens',
  'account:bot:hooks',
  'account:bot:hook:deliveries',
  'account:calendars',
  'account:hooks',
  'account:hook:deliveries',
  'account:imports',
  'account:import:rows',
  'account:users',
  'account:admin:status',
  'account:admin:service',
  'account:admin:sessions',
  'account:admin:tokens',
  'account:admin:hooks',
]);

/** The outcome of an operation that no worker answered (GEN3). */
function outcomeOf(event: AccountEvent): { readonly outcome: 'not_done' | 'unknown' } {
  return { outcome: READS.has(event) ? 'not_done' : 'unknown' };
}

/** The last part of the events of these operations. */
type SharedEvent = {
  [E in AccountEvent]: E extends `account:bot:${infer N}` ? (`account:${N}` extends AccountEvent ? N : never) : never;
}[AccountEvent];

interface BotAsker {
  /** A bot of the user; undefined for the user's own things. */
  readonly bot: string | undefined;
  readonly user: ActingUser;
  readonly context: Parameters<AskAccounts>[3];
}

/**
 * Asks about the things of the user, or of a bot. The events differ, because a worker of an earlier release would
 * ignore a field that names a bot, and change the things of the user.
 */
export function askOf<N extends SharedEvent>(
  ask: AskAccounts,
  event: N,
  payload: AccountPayload<`account:${N}`>,
  { bot, user, context }: BotAsker,
): Promise<AccountAnswer<`account:${N}`> | Refusal> {
  if (bot === undefined) return ask<`account:${N}`>(`account:${event}`, payload, user, context);
  const ofBot = { bot, ...payload } as AccountPayload<`account:bot:${N}`>;
  return ask<`account:bot:${N}`>(`account:bot:${event}`, ofBot, user, context) as Promise<
    AccountAnswer<`account:${N}`> | Refusal
  >;
}
