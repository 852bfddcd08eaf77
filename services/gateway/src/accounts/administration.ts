// The routes of administrators. The worker decides for each call whether its user is one. The audit
// log has a line for each call, also for reads. Rules: AUTH1, ADMIN1 to ADMIN6.

import type { ServiceReport } from '@taskgraph/wire/bus/status-messages';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';
import { shownToken } from './tokens.ts';

interface AdministrationOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function administrationRoutes(options: AdministrationOptions): readonly AccountRoute[] {
  return [...userRoutes(options), ...serviceRoutes(options), ...tokenRoutes(options), ...webhookRoutes(options)];
}

function userRoutes({ ask, newId }: AdministrationOptions): readonly AccountRoute[] {
  const users = authenticatedRoute(
    { name: 'admin:users', audited: 'admin:read' },
    async ({ limit, after = '' }, { user }, context) => {
      // One extra user shows whether there are more.
      const found = await ask('account:users', { after, limit: limit + 1 }, user, context);
      if (isRefusal(found)) return found;
      const { entries, ...more } = pageOf(found.users, limit);
      return { body: { users: entries, ...more } };
    },
  );

  const find = authenticatedRoute(
    { name: 'admin:user:find', audited: 'admin:read' },
    async ({ email }, { user }, context) => {
      const listed = await ask('account:users', { after: '', limit: 1, email }, user, context);
      if (isRefusal(listed)) return listed;
      // A worker of the previous release ignores the address.
      const found = listed.users.find((each) => each.email === email.toLowerCase());
      if (found === undefined) return refuse('not_found', 'There is no such user.');
      context.note({ userId: found.id });
      return { body: { user: found } };
    },
  );

  const disable = authenticatedRoute(
    { name: 'admin:user', audited: 'admin:user' },
    async (payload, { user, token }, context) => {
      context.note({ userId: payload.id, disabled: payload.disabled });
      const change = { ...payload, caller: token.id, request: newId(0) };
      const done = await ask('account:disable', change, user, context);
      return isRefusal(done) ? done : { body: {} };
    },
  );

  return [users, find, disable];
}

function serviceRoutes({ ask }: AdministrationOptions): readonly AccountRoute[] {
  const status = authenticatedRoute(
    { name: 'admin:status', audited: 'admin:read' },
    async (_payload, { user }, context) => {
      const found = await ask('account:admin:status', {}, user, context);
      if (isRefusal(found)) return found;
      const services = found.services.toSorted(byKindAndName);
      const { leases = null } = services.find(({ leases }) => leases !== null) ?? {};
      return { body: { services: services.map(shownService), leases, truncated: found.truncated } };
    },
  );

  const details = authenticatedRoute(
    { name: 'admin:service', audited: 'admin:read' },
    async ({ process }, { user }, context) => {
      context.note({ process });
      const found = await ask('account:admin:service', { process }, user, context);
      if (isRefusal(found)) return found;
      const { settings, metrics, truncated } = found.details;
      return { body: { service: shownService(found.service), settings, metrics, truncated } };
    },
  );

  return [status, details];
}

function shownService({ leases: _shownOnce, ...service }: ServiceReport) {
  return service;
}

function byKindAndName(one: ServiceReport, other: ServiceReport): number {
  const [first, second] = [one, other].map(({ kind, name, process }) => `${kind} ${name} ${process}`);
  return (first as string) < (second as string) ? -1 : 1;
}

function tokenRoutes({ ask, newId }: AdministrationOptions): readonly AccountRoute[] {
  const sessions = authenticatedRoute(
    { name: 'admin:sessions', audited: 'admin:read' },
    async ({ user: userId }, { user }, context) => {
      context.note({ userId });
      const found = await ask('account:admin:sessions', { user: userId }, user, context);
      return isRefusal(found) ? found : { body: { sessions: found.sessions } };
    },
  );

  const endSession = authenticatedRoute(
    { name: 'admin:session:end', audited: 'admin:session:end' },
    async ({ user: userId, id = null }, { user, token }, context) => {
      context.note({ userId, sessionId: id });
      const request = { user: userId, id, request: newId(0), caller: token.id };
      const done = await ask('account:admin:session:end', request, user, context);
      return isRefusal(done) ? done : { body: {} };
    },
  );

  const tokens = authenticatedRoute(
    { name: 'admin:tokens', audited: 'admin:read' },
    async ({ user: userId }, { user }, context) => {
      context.note({ userId });
      const found = await ask('account:admin:tokens', { user: userId }, user, context);
      return isRefusal(found) ? found : { body: { tokens: found.tokens.map(shownToken) } };
    },
  );

  const revoke = authenticatedRoute(
    { name: 'admin:token:revoke', audited: 'admin:token:revoke' },
    async ({ user: userId, id }, { user }, context) => {
      context.note({ userId, tokenId: id });
      const request = { user: userId, id, request: newId(0) };
      const done = await ask('account:admin:token:revoke', request, user, context);
      return isRefusal(done) ? done : { body: {} };
    },
  );

  return [sessions, endSession, tokens, revoke];
}

function webhookRoutes({ ask, newId }: AdministrationOptions): readonly AccountRoute[] {
  const hooks = authenticatedRoute(
    { name: 'admin:hooks', audited: 'admin:read' },
    async ({ limit, after = '', state = null }, { user }, context) => {
      const found = await ask('account:admin:hooks', { after, limit: limit + 1, state }, user, context);
      if (isRefusal(found)) return found;
      const { entries, ...more } = pageOf(found.hooks, limit);
      return { body: { hooks: entries, ...more } };
    },
  );

  const disable = authenticatedRoute(
    { name: 'admin:hook:disable', audited: 'admin:hook:disable' },
    async ({ id }, { user, token }, context) => {
      context.note({ hookId: id });
      const request = { id, request: newId(0), caller: token.id };
      const done = await ask('account:admin:hook:disable', request, user, context);
      return isRefusal(done) ? done : { body: {} };
    },
  );

  return [hooks, disable];
}

interface Page<T> {
  readonly entries: readonly T[];
  readonly hasMore: boolean;
  readonly next: string | null;
}

/** The first entries, of which one more was read than the page has. */
function pageOf<T extends { readonly id: string }>(found: readonly T[], limit: number): Page<T> {
  const entries = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { entries, hasMore, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
}
