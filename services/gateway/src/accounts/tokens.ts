// The routes of API tokens of a user and of their bots: list, create, rotate and revoke. Rules:
// AUTH2, SCOPE1, BOT2.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { isReadOnly, SCOPES, type Scope, scopesOf } from '@taskgraph/wire/scopes';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { type AskAccounts, askOf } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';
import { storedToken } from './session.ts';

interface TokenRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function tokenRoutes({ ask, newId }: TokenRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'token:list' }, async ({ bot }, { user }, context) => {
    const found = await askOf(ask, 'tokens', {}, { bot, user, context });
    return isRefusal(found) ? found : { body: { tokens: found.tokens.map(shownToken) } };
  });

  const create = authenticatedRoute(
    { name: 'token:create', audited: 'token:create' },
    async ({ name = '', expires: given, bot, ...allowed }, identity, context) => {
      const expires = bot === undefined ? (given ?? null) : expiryOfBot(given);
      if (isRefusal(expires)) return expires;
      if (expires !== null && Date.parse(expires) <= Date.now()) return pastExpiry;
      const plaintext = newTokenText('api');
      const token = { ...storedToken(plaintext, newId), name, expires, ...storedScopes(allowed) };
      const { readOnly, scopes } = shownScopes(storedScopes(allowed));
      context.note({ tokenId: token.id, name, readOnly, scopes, expires, ...definedFields({ botId: bot }) });
      const added = await askOf(
        ask,
        'token:add',
        { token, caller: identity.token.id },
        { bot, user: identity.user, context },
      );
      return isRefusal(added) ? added : { body: { token: shownToken(added.token), plaintext } };
    },
  );

  const rotate = authenticatedRoute(
    { name: 'token:rotate', audited: 'token:rotate' },
    async ({ id, bot }, { user, token }, context) => {
      const plaintext = newTokenText('api');
      const payload = { id, request: newId(0), token: storedToken(plaintext, newId), caller: token.id };
      context.note({ tokenId: id, nextId: payload.token.id, ...definedFields({ botId: bot }) });
      const rotated = await askOf(ask, 'token:rotate', payload, { bot, user, context });
      return isRefusal(rotated) ? rotated : { body: { token: shownToken(rotated.token), plaintext } };
    },
  );

  const revoke = authenticatedRoute(
    { name: 'token:revoke', audited: 'token:revoke' },
    async ({ id, bot }, { user }, context) => {
      context.note({ tokenId: id, ...definedFields({ botId: bot }) });
      const revoked = await askOf(ask, 'token:revoke', { id, request: newId(0) }, { bot, user, context });
      return isRefusal(revoked) ? revoked : { body: {} };
    },
  );

  return [list, create, rotate, revoke];
}

interface StoredScopes {
  readonly readOnly?: boolean | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** The stored form: a token that has all scopes or only reads is stored as earlier releases do. */
function storedScopes({ readOnly = false, scopes }: { readOnly?: boolean | undefined; scopes?: Scope[] | undefined }) {
  if (scopes === undefined) return { readOnly };
  return isReadOnly(scopes) ? { readOnly: true } : { scopes: SCOPES.filter((scope) => scopes.includes(scope)) };
}

/** The scopes as clients see them: all are listed. */
function shownScopes(stored: StoredScopes): { readOnly: boolean; scopes: readonly Scope[] } {
  const scopes = scopesOf({ readOnly: stored.readOnly ?? false, scopes: stored.scopes });
  return { readOnly: isReadOnly(scopes), scopes: scopes ?? SCOPES };
}

/** A token as clients see it. */
export function shownToken<T extends StoredScopes>(token: T) {
  return { ...token, ...shownScopes(token) };
}

/** The longest life of a bot's token, in days (BOT2). */
const MAXIMUM_BOT_TOKEN_DAYS = 365;

/** The end of a bot's token: by default the latest possible one. */
function expiryOfBot(given: string | null | undefined): string | Refusal {
  const latestMs = Date.now() + MAXIMUM_BOT_TOKEN_DAYS * DAY_MS;
  if (given === undefined) return new Date(latestMs).toISOString();
  if (given !== null && Date.parse(given) <= latestMs) return given;
  const message = `A token of a bot ends within ${MAXIMUM_BOT_TOKEN_DAYS} days.`;
  return refuseField('invalid', 'expires', message);
}

const pastExpiry = refuse('invalid_due', 'The field expires must lie in the future.', { path: 'expires' });
