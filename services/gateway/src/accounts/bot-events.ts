// Account operations that exist for a user's own things and for those of their bots. Rules: BOT2, BOT3.
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountAnswer, AccountEvent, AccountPayload } from '@taskgraph/wire/bus/account-messages';
import type { Refusal } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import type { RequestContext } from './route.ts';

/** The last part of the events of these operations. */
type SharedEvent = {
  [E in AccountEvent]: E extends `account:bot:${infer N}` ? (`account:${N}` extends AccountEvent ? N : never) : never;
}[AccountEvent];

interface Asker {
  /** A bot of the user; undefined for the user's own things. */
  readonly bot: string | undefined;
  readonly user: ActingUser;
  readonly context: RequestContext;
}

/**
 * Asks about the things of the user, or of a bot. The events differ, because a worker of an earlier release would
 * ignore a field that names a bot, and change the things of the user.
 */
export function askOf<N extends SharedEvent>(
  ask: AskAccounts,
  event: N,
  payload: AccountPayload<`account:${N}`>,
  { bot, user, context }: Asker,
): Promise<AccountAnswer<`account:${N}`> | Refusal> {
  if (bot === undefined) return ask<`account:${N}`>(`account:${event}`, payload, user, context);
  const ofBot = { bot, ...payload } as AccountPayload<`account:bot:${N}`>;
  return ask<`account:bot:${N}`>(`account:bot:${event}`, ofBot, user, context) as Promise<
    AccountAnswer<`account:${N}`> | Refusal
  >;
}
