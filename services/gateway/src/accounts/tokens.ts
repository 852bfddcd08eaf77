// The routes of API tokens of a user and of their bots: list, create, rotate and revoke. Rules: AUTH2,
// SCOPE1, BOT2.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { onlyReads, SCOPES, type Scope, scopesOf } from '@taskgraph/wire/scopes';
import type { AskAccounts } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';
import { storedToken } from './session.ts';

interface TokenRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function tokenRoutes({ ask, newId }: TokenRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'token:list' }, async ({ bot }, { user }, context) => {
    const found =
      bot === undefined
        ? await ask('account:tokens', {}, user, context)
        : await ask('account:bot:tokens', { bot }, user, context);
    return isRefusal(found) ? found : { body: { tokens: found.tokens.map(shownToken) } };
  });

  const create = authenticatedRoute(
    { name: 'token:create', audited: 'token:create' },
    async ({ name = '', expires: given, bot, ...rights }, { user }, context) => {
      const expires = bot === undefined ? (given ?? null) : expiryOfBot(given);
      if (isRefusal(expires)) return expires;
      if (expires !== null && Date.parse(expires) <= Date.now()) return pastExpiry;
      const plaintext = newTokenText('api');
      const token = { ...storedToken(plaintext, newId), name, expires, ...storedRights(rights) };
      const { readOnly, may } = shownRights(storedRights(rights));
      context.note({ tokenId: token.id, name, readOnly, may, expires, ...definedFields({ botId: bot }) });
      const added =
        bot === undefined
          ? await ask('account:token:add', { token }, user, context)
          : await ask('account:bot:token:add', { bot, token }, user, context);
      return isRefusal(added) ? added : { body: { token: shownToken(added.token), plaintext } };
    },
  );

  const rotate = authenticatedRoute(
    { name: 'token:rotate', audited: 'token:rotate' },
    async ({ id, bot }, { user }, context) => {
      const plaintext = newTokenText('api');
      const payload = { id, request: newId(0), token: storedToken(plaintext, newId) };
      context.note({ tokenId: id, nextId: payload.token.id, ...definedFields({ botId: bot }) });
      const rotated =
        bot === undefined
          ? await ask('account:token:rotate', payload, user, context)
          : await ask('account:bot:token:rotate', { bot, ...payload }, user, context);
      return isRefusal(rotated) ? rotated : { body: { token: shownToken(rotated.token), plaintext } };
    },
  );

  const revoke = authenticatedRoute(
    { name: 'token:revoke', audited: 'token:revoke' },
    async ({ id, bot }, { user }, context) => {
      context.note({ tokenId: id, ...definedFields({ botId: bot }) });
      const payload = { id, request: newId(0) };
      const revoked =
        bot === undefined
          ? await ask('account:token:revoke', payload, user, context)
          : await ask('account:bot:token:revoke', { bot, ...payload }, user, context);
      return isRefusal(revoked) ? revoked : { body: {} };
    },
  );

  return [list, create, rotate, revoke];
}

/** The stored form: a token that has all scopes or only reads is stored as earlier releases do. */
function storedRights({ readOnly = false, may }: { readOnly?: boolean | undefined; may?: Scope[] | undefined }) {
  if (may === undefined) return { readOnly };
  return onlyReads(may) ? { readOnly: true } : { may: SCOPES.filter((scope) => may.includes(scope)) };
}

interface StoredRights {
  readonly readOnly?: boolean | undefined;
  readonly may?: readonly string[] | undefined;
}

/** The scopes as clients see them: all are listed. */
function shownRights({ readOnly = false, may }: StoredRights): { readOnly: boolean; may: readonly Scope[] } {
  const scopes = scopesOf({ readOnly, may });
  return { readOnly: onlyReads(scopes), may: scopes ?? SCOPES };
}

function shownToken<T extends StoredRights>(token: T) {
  return { ...token, ...shownRights(token) };
}

/** The longest life of a bot's token, in days (BOT2). */
const MOST_DAYS_OF_BOT = 365;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The end of a bot's token: by default the latest possible one. */
function expiryOfBot(given: string | null | undefined): string | Refusal {
  const latestMs = Date.now() + MOST_DAYS_OF_BOT * DAY_MS;
  if (given === undefined) return new Date(latestMs).toISOString();
  if (given !== null && Date.parse(given) <= latestMs) return given;
  const message = `A token of a bot ends within ${MOST_DAYS_OF_BOT} days.`;
  return refuseField('invalid', 'expires', message);
}

const pastExpiry = refuse('invalid_due', 'The field expires must lie in the future.', { path: 'expires' });
