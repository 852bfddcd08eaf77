// The table of all account operations. They arrive like reads, because any worker may do them.
// Rules: AUTH1, AUTH2, AUTH4.
import type { Received } from '@taskgraph/bus/requests/serve';
import { isProof } from '@taskgraph/runtime/security/signed-text';
import { ACCOUNT_MESSAGES, type AccountEvent, accountClaim } from '@taskgraph/wire/bus/account-messages';
import { type ReadMessage, type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { replyTo } from '../reads/read-handler.ts';
import {
  accountAdminHookDisable,
  accountAdminHooks,
  accountAdminService,
  accountAdminSessionEnd,
  accountAdminSessions,
  accountAdminStatus,
  accountAdminTokenRevoke,
  accountAdminTokens,
  accountDisable,
  accountUsers,
} from './administration.ts';
import {
  accountBotAdd,
  accountBotHookDelete,
  accountBotHookDeliveries,
  accountBotHooks,
  accountBotHookUpdate,
  accountBotRemove,
  accountBots,
  accountBotTokenAdd,
  accountBotTokenRevoke,
  accountBotTokenRotate,
  accountBotTokens,
} from './bots.ts';
import { accountCalendarAdd, accountCalendarRemove, accountCalendarRotate, accountCalendars } from './calendars.ts';
import type { AccountEnvironment, AccountHandler } from './handler.ts';
import {
  accountImportBegin,
  accountImportDelete,
  accountImportRevert,
  accountImportRows,
  accountImportStore,
  accountImports,
} from './imports.ts';
import { accountRegister, accountVerify, accountVouch } from './registration.ts';
import {
  accountFind,
  accountLink,
  accountLogout,
  accountMe,
  accountPassword,
  accountReset,
  accountSession,
  accountSessionEnd,
  accountSessions,
  accountSessionsEnd,
} from './sessions.ts';
import { accountTokenAdd, accountTokenRevoke, accountTokenRotate, accountTokens } from './tokens.ts';
import {
  accountHookAdd,
  accountHookDelete,
  accountHookDeliveries,
  accountHookReplay,
  accountHookRotate,
  accountHooks,
  accountHookTest,
  accountHookUpdate,
} from './webhooks.ts';

const handlers: Readonly<Record<AccountEvent, AccountHandler>> = {
  'account:find': accountFind,
  'account:me': accountMe,
  'account:session': accountSession,
  'account:link': accountLink,
  'account:logout': accountLogout,
  'account:sessions': accountSessions,
  'account:session:end': accountSessionEnd,
  'account:sessions:end': accountSessionsEnd,
  'account:password': accountPassword,
  'account:reset': accountReset,
  'account:register': accountRegister,
  'account:verify': accountVerify,
  'account:vouch': accountVouch,
  'account:tokens': accountTokens,
  'account:token:add': accountTokenAdd,
  'account:token:rotate': accountTokenRotate,
  'account:token:revoke': accountTokenRevoke,
  'account:bots': accountBots,
  'account:bot:add': accountBotAdd,
  'account:bot:remove': accountBotRemove,
  'account:bot:tokens': accountBotTokens,
  'account:bot:token:add': accountBotTokenAdd,
  'account:bot:token:rotate': accountBotTokenRotate,
  'account:bot:token:revoke': accountBotTokenRevoke,
  'account:bot:hooks': accountBotHooks,
  'account:bot:hook:update': accountBotHookUpdate,
  'account:bot:hook:delete': accountBotHookDelete,
  'account:bot:hook:deliveries': accountBotHookDeliveries,
  'account:calendars': accountCalendars,
  'account:calendar:add': accountCalendarAdd,
  'account:calendar:rotate': accountCalendarRotate,
  'account:calendar:remove': accountCalendarRemove,
  'account:hooks': accountHooks,
  'account:hook:add': accountHookAdd,
  'account:hook:update': accountHookUpdate,
  'account:hook:delete': accountHookDelete,
  'account:hook:rotate': accountHookRotate,
  'account:hook:test': accountHookTest,
  'account:hook:deliveries': accountHookDeliveries,
  'account:hook:replay': accountHookReplay,
  'account:imports': accountImports,
  'account:import:begin': accountImportBegin,
  'account:import:store': accountImportStore,
  'account:import:rows': accountImportRows,
  'account:import:revert': accountImportRevert,
  'account:import:delete': accountImportDelete,
  'account:users': accountUsers,
  'account:disable': accountDisable,
  'account:admin:status': accountAdminStatus,
  'account:admin:service': accountAdminService,
  'account:admin:sessions': accountAdminSessions,
  'account:admin:session:end': accountAdminSessionEnd,
  'account:admin:tokens': accountAdminTokens,
  'account:admin:token:revoke': accountAdminTokenRevoke,
  'account:admin:hooks': accountAdminHooks,
  'account:admin:hook:disable': accountAdminHookDisable,
};

/** Whether an event is an account operation. */
export function isAccountEvent(event: string): event is AccountEvent {
  return Object.hasOwn(ACCOUNT_MESSAGES, event);
}

/**
 * Does one account operation and retries its writes. `unavailable` and failures are as for reads.
 */
export function answerAccount(
  message: ReadMessage & Received & { event: AccountEvent },
  environment: AccountEnvironment,
): Promise<ReplyMessage> {
  if (!isGateways(message, environment)) {
    environment.onUnproven?.(message);
    return Promise.resolve(unproven);
  }
  return replyTo(() => handlers[message.event](message, environment), { message, environment, attempts: 1 });
}

/**
 * Everyone on the bus can name any user, so account operations also need the secret of the
 * gateways.
 */
function isGateways(message: ReadMessage & Received, { secret }: AccountEnvironment): boolean {
  const { proof = '', signedDeadline = message.deadline, ...said } = message;
  return isProof(secret, 'account', accountClaim({ ...said, deadline: signedDeadline }), proof);
}

const unproven = refusalReply(
  refuse('internal.unproven', 'The gateway and the worker have different values of TASKGRAPH_SECRET.'),
);
