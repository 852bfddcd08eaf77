// The routes of the webhooks of a user and of their bots. Only the answers to adding and rotating contain a secret, and the
// audit log has hosts without paths and queries. Rules: HOOK1, HOOK3, HOOK11, BOT3.

import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { newWebhookSecret, sealWebhookSecret } from '@taskgraph/runtime/security/webhook-secret';
import type { AccountAnswer, AccountEvent } from '@taskgraph/wire/bus/account-messages';
import type { WebhookView } from '@taskgraph/wire/bus/webhook-calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { refuseMissingScopes, scopesOf } from '@taskgraph/wire/scopes';
import { WEBHOOK_NAME_LENGTH } from '@taskgraph/wire/webhooks/webhook-fields';
import { hostOfWebhook } from '@taskgraph/wire/webhooks/webhook-url';
import type { Identity } from '../../auth/token.ts';
import { type AskAccounts, askOf } from '../account-client.ts';
import { type AccountRoute, authenticatedRoute, type RouteResult } from '../route.ts';

interface WebhookRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
  /** Seals the secrets of webhooks. */
  readonly secret: Secrets;
}

const HOUR_MS = 3_600_000;

export function webhookRoutes(options: WebhookRoutesOptions): readonly AccountRoute[] {
  return [...definitionRoutes(options), ...deliveryRoutes(options)];
}

function definitionRoutes({ ask, newId, secret: secrets }: WebhookRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'hook:list' }, async ({ bot }, identity, context) => {
    const { user, token } = identity;
    const refused = refuseBotWithoutSession(identity, bot);
    const found = refused ?? (await askOf(ask, 'hooks', { caller: token.id }, { bot, user, context }));
    return isRefusal(found) ? found : { body: { hooks: found.hooks.map(shownWebhook) } };
  });

  const add = authenticatedRoute(
    { name: 'hook:add', audited: 'hook:add' },
    async ({ url, name = hostOfWebhook(url), root = null, events = [], where }, identity, context) => {
      const id = newId(0);
      const plain = newWebhookSecret();
      context.note({ hookId: id, host: hostOfWebhook(url) });
      const definition = {
        id,
        caller: identity.token.id,
        url,
        name: name.slice(0, WEBHOOK_NAME_LENGTH),
        root,
        events,
        where: where === undefined ? null : JSON.stringify(where),
        secret: sealWebhookSecret(secrets, id, plain),
      };
      const refused = refuseWithoutRead(identity);
      const added = refused ?? (await ask('account:hook:add', definition, identity.user, context));
      return isRefusal(added) ? added : { body: { hook: shownWebhook(added.hook), secret: plain } };
    },
  );

  const update = authenticatedRoute(
    { name: 'hook:update', audited: 'hook:update' },
    async ({ id, url, where, bot, ...fields }, identity, context) => {
      const { enabled } = fields;
      context.note({ hookId: id, ...definedFields({ enabled, botId: bot }), ...(url && { host: hostOfWebhook(url) }) });
      const definition = {
        id,
        caller: identity.token.id,
        request: newId(0),
        ...definedFields({ url, ...fields, where: where && JSON.stringify(where) }),
      };
      const refused = refuseBotWithoutSession(identity, bot) ?? refuseWithoutRead(identity);
      const asker = { bot, user: identity.user, context };
      return changed(refused ?? (await askOf(ask, 'hook:update', definition, asker)));
    },
  );

  const remove = authenticatedRoute(
    { name: 'hook:delete', audited: 'hook:delete' },
    async ({ id, bot }, identity, context) => {
      const { user, token } = identity;
      context.note({ hookId: id, ...definedFields({ botId: bot }) });
      const removal = { id, caller: token.id, request: newId(0) };
      const refused = refuseBotWithoutSession(identity, bot);
      const removed = refused ?? (await askOf(ask, 'hook:delete', removal, { bot, user, context }));
      return isRefusal(removed) ? removed : { body: {} };
    },
  );

  const rotate = authenticatedRoute(
    { name: 'hook:rotate', audited: 'hook:rotate' },
    async ({ id, overlap }, { user, token }, context) => {
      context.note({ hookId: id, overlap });
      const plain = newWebhookSecret();
      const secret = sealWebhookSecret(secrets, id, plain);
      const rotation = { id, caller: token.id, request: newId(0), secret, overlapMs: overlap * HOUR_MS };
      const rotated = await ask('account:hook:rotate', rotation, user, context);
      return isRefusal(rotated) ? rotated : { body: { hook: shownWebhook(rotated.hook), secret: plain } };
    },
  );

  return [list, add, update, remove, rotate];
}

function deliveryRoutes({ ask, newId }: WebhookRoutesOptions): readonly AccountRoute[] {
  const test = authenticatedRoute({ name: 'hook:test' }, async ({ id }, { user, token }, context) =>
    changed(await ask('account:hook:test', { id, caller: token.id, request: newId(0) }, user, context)),
  );

  const deliveries = authenticatedRoute({ name: 'hook:deliveries' }, async ({ id, bot }, identity, context) => {
    const { user, token } = identity;
    const refused = refuseBotWithoutSession(identity, bot);
    const found = refused ?? (await askOf(ask, 'hook:deliveries', { id, caller: token.id }, { bot, user, context }));
    return isRefusal(found) ? found : { body: { deliveries: found.deliveries } };
  });

  const replay = authenticatedRoute(
    { name: 'hook:replay', audited: 'hook:replay' },
    async ({ id, since }, identity, context) => {
      context.note({ hookId: id, since });
      const { user, token } = identity;
      const request = { id, caller: token.id, request: newId(0), since };
      const moved = refuseWithoutRead(identity) ?? (await ask('account:hook:replay', request, user, context));
      if (isRefusal(moved)) return moved;
      return { body: { hook: shownWebhook(moved.hook), ...(moved.truncated ? { truncated: true } : {}) } };
    },
  );

  return [test, deliveries, replay];
}

/** A token manages only what it created, and so nothing of a bot (HOOK3). */
function refuseBotWithoutSession({ token }: Identity, bot: string | undefined): Refusal | null {
  return bot === undefined || token.kind === 'session' ? null : sessionRequired;
}

const sessionRequired = refuse('forbidden.session_required', 'The webhooks of a bot need a session: sign in.');

/** A token must not receive by a webhook what it may not read (SCOPE1). */
function refuseWithoutRead({ token }: Identity): Refusal | null {
  return refuseMissingScopes(['read'], scopesOf(token));
}

type Changed = Refusal | AccountAnswer<Extract<AccountEvent, 'account:hook:update' | 'account:hook:test'>>;

function changed(answer: Changed): RouteResult {
  return isRefusal(answer) ? answer : { body: { hook: shownWebhook(answer.hook) } };
}

/** The conditions are stored as text. */
function shownWebhook(webhook: WebhookView) {
  const { where } = webhook;
  return { ...webhook, where: where === null ? null : (JSON.parse(where) as Record<string, unknown>) };
}
