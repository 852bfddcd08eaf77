// Signing in and out, sessions, and another password. Rules: AUTH1, AUTH4.
import { endSessions, resetPassword, revokeToken, setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { listSessions, openSession } from '@taskgraph/graph-store/accounts/tokens';
import { findAccount, readAccount } from '@taskgraph/graph-store/accounts/users';
import { isProven, saltOf } from '@taskgraph/runtime/security/passwords';
import { openTicket, passwordMark } from '@taskgraph/runtime/security/tickets';
import { passwordClaim, sessionClaim } from '@taskgraph/wire/bus/account-messages';
import { refuse } from '@taskgraph/wire/errors';
import { endedCaller, handle, handleFor, publishEndedTokens } from './handler.ts';

const wrongLogin = refuse('unauthorized', 'The e-mail address or the password is wrong.');
const wrongPassword = refuse('forbidden.wrong_password', 'The current password is wrong.');

export const accountFind = handle('account:find', async ({ payload }, { database }) => {
  const account = await findAccount(database, payload.email);
  // A bot has neither a sign-in nor mail.
  if (account === null || account.maintainer !== undefined) return { account: null };
  const { id, disabled, passwordHash } = account;
  return { account: { id, disabled, salt: passwordHash === null ? null : saltOf(passwordHash) } };
});

export const accountMe = handleFor('account:me', async ({ actor }, { database }) => {
  const account = await readAccount(database, actor.id);
  if (account === null) return refuse('unauthorized', 'This user no longer exists.');
  const { id, email, username, admin } = account;
  return { user: { id, email, username, admin } };
});

export const accountSession = handle('account:session', async ({ payload }, environment) => {
  const { database } = environment;
  const { userId, token, proof } = payload;
  let passwordHash: string | null = null;
  if (proof !== null) {
    passwordHash = (await readAccount(database, userId))?.passwordHash ?? null;
    if (passwordHash === null || !isProven(passwordHash, sessionClaim(payload), proof)) return wrongLogin;
  }
  const opened = await openSession(database, { userId, token, passwordHash, link: null }, environment.nowMs());
  if (opened === null) return wrongLogin;
  publishEndedTokens(environment, opened.ended);
  return { user: opened.user };
});

export const accountLink = handle('account:link', async ({ payload }, environment) => {
  const { database, secret, nowMs } = environment;
  const link = openTicket(secret, 'sign-in-link', payload.ticket, nowMs());
  if (link === null) return endedLink;
  const { passwordHash = null } = (await readAccount(database, link.userId)) ?? {};
  if (passwordMark(passwordHash === null ? null : saltOf(passwordHash)) !== link.mark) return endedLink;
  const request = { userId: link.userId, token: payload.token, passwordHash, link: link.id };
  const opened = await openSession(database, request, nowMs());
  if (opened === null) return endedLink;
  publishEndedTokens(environment, opened.ended);
  return { user: opened.user };
});

export const accountLogout = handleFor('account:logout', async ({ payload, actor, now }, environment) => {
  await revokeToken(environment.database, { ...payload, userId: actor.id, kind: 'session', now });
  // An ended session is published again, because the first control message may have been lost.
  publishEndedTokens(environment, [payload.id]);
  return {};
});

export const accountPassword = handleFor('account:password', async ({ payload, actor, now }, environment) => {
  const { after, keep, proof, caller, endTokens = false } = payload;
  const before = (await readAccount(environment.database, actor.id))?.passwordHash ?? null;
  // The new hash means that the same request was done before and its answer was lost: only its
  // sender knows that hash.
  const isRight =
    before === after || (before !== null && isProven(before, passwordClaim({ ...payload, userId: actor.id }), proof));
  if (!isRight) return wrongPassword;
  const change = { before, after, keep, endTokens, caller, userId: actor.id, now };
  const ended = await setPassword(environment.database, change);
  if (ended === 'ended') return endedCaller;
  if (ended === null) return wrongPassword;
  publishEndedTokens(environment, ended);
  return {};
});

export const accountSessions = handleFor('account:sessions', async ({ actor, now }, { database }) => ({
  sessions: await listSessions(database, actor.id, now),
}));

export const accountSessionEnd = handleFor('account:session:end', async ({ payload, actor, now }, environment) => {
  const asked = { ...payload, userId: actor.id, kind: 'session' as const, now };
  if (!(await revokeToken(environment.database, asked))) return refuse('not_found', 'There is no such session.');
  publishEndedTokens(environment, [payload.id]);
  return {};
});

export const accountSessionsEnd = handleFor('account:sessions:end', async ({ payload, actor, now }, environment) => {
  const { keep, ...call } = payload;
  const userId = actor.id;
  const ended = await endSessions(environment.database, { ...call, userId, now }, { userId, keep });
  if (ended === 'ended') return endedCaller;
  publishEndedTokens(environment, ended);
  return {};
});

export const accountReset = handle('account:reset', async ({ payload, now }, environment) => {
  const { database, secret, nowMs } = environment;
  const link = openTicket(secret, 'password-reset', payload.ticket, nowMs());
  if (link === null) return endedLink;
  const { passwordHash: after, endTokens } = payload;
  const isExpected = (present: string | null) => passwordMark(present === null ? null : saltOf(present)) === link.mark;
  const reset = await resetPassword(database, { userId: link.userId, after, endTokens, now, isExpected });
  if (reset === 'gone') return endedLink;
  publishEndedTokens(environment, reset.ended);
  return { userId: link.userId, email: reset.email };
});

/** A link that is forged, over or used: one answer. */
export const endedLink = refuse('not_found', 'This link was already used or has expired.');
