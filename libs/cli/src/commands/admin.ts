// admin: the service's own state, users, their sessions and tokens, and webhooks, for administrators.
// It needs a session of an administrator, which `login` with a password opens. Rules: ADMIN1 to ADMIN7.
import {
  type FoundUser,
  momentText,
  type ServiceStatus,
  type User,
  type UserSessions,
  type Users,
  type UserTokens,
  type UserWebhooks,
} from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { addBundle } from './admin-bundle.ts';

interface AdminParts {
  readonly admin: Command;
  readonly context: Context;
  readonly globalOptions: () => GlobalOptions;
}

interface PageFlags {
  readonly after?: string;
  readonly limit?: number;
}

const PATH = '/api/admin';
const USER = ['<user>', 'the address or the id of a user or a bot'] as const;

export function addAdminCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const admin = program.command('admin').description('operate the service, as an administrator');
  const parts = { admin, context, globalOptions };
  addStatus(parts);
  addUsers(parts);
  addSessions(parts);
  addTokens(parts);
  addHooks(parts);
  addBundle(admin, context, globalOptions);
}

function addStatus({ admin, context, globalOptions }: AdminParts): void {
  admin
    .command('status')
    .description('show the running services, the leases, the lengths of the queues, and lags')
    .action(async () => {
      const { services, leases, truncated } = await context.request<ServiceStatus>('GET', `${PATH}/status`);
      if (truncated) context.output.note('More services answered than the list has.');
      context.show(globalOptions(), { services, leases }, () => [
        ...serviceLines(context, services),
        '',
        ...leaseLines(context, { services, leases }),
        '',
        ...queueLines(context, services),
        '',
        ...figureLines(context, services),
      ]);
    });
}

type Services = ServiceStatus['services'];

function serviceLines(context: Context, services: Services): readonly string[] {
  const rows = services.map(({ kind, name, version, node, startedTime, backends }) => [
    kind,
    name,
    version,
    node,
    momentText(startedTime),
    backends.map((each) => `${each.name} ${each.isUp ? 'up' : 'away'}`).join(', '),
  ]);
  return table(context, ['service', 'name', 'version', 'node', 'started', 'backends'], rows);
}

/** The partitions that have no lease are a line of their own: their commands wait. */
function leaseLines(context: Context, { services, leases }: Pick<ServiceStatus, 'services' | 'leases'>): string[] {
  if (leases === null) return ['No worker has a current view of the leases.'];
  const rows = leases.workers.map(({ name, ageMs, isLeaving }) => {
    const leased = leases.partitions.filter((each) => each === name).length;
    const served = services
      .filter((each) => each.kind === 'worker' && each.name === name)
      .flatMap((each) => each.serves);
    return [name, String(leased), String(served.length), `${ageMs} ms`, isLeaving ? 'leaving' : ''];
  });
  const free = leases.partitions.filter((each) => each === null).length;
  const lines = table(context, ['worker', 'leases', 'served', 'heartbeat', ''], rows);
  return free === 0 ? lines : [...lines, `partitions without a lease: ${free}`];
}

/** All jobs services report the same queues. */
function queueLines(context: Context, services: Services): readonly string[] {
  const { queues = [] } = services.find((each) => each.queues.length > 0) ?? {};
  if (queues.length === 0) return ['No jobs service reports its queues.'];
  const rows = queues.map(({ name, waiting, active, delayed }) => [name, ...[waiting, active, delayed].map(String)]);
  return table(context, ['queue', 'waiting', 'active', 'delayed'], rows);
}

function figureLines(context: Context, services: Services): readonly string[] {
  const rows = services.flatMap(({ name, metrics }) => metrics.map((each) => [name, each.name, String(each.value)]));
  return table(context, ['name', 'metric', 'value'], rows);
}

function table({ output }: Context, heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return tableOf(rows, { heads, columns: output.columns, paintHead: output.paint.bold });
}

function addUsers({ admin, context, globalOptions }: AdminParts): void {
  admin
    .command('users')
    .description('list the users by id')
    .option('--email <email>', 'only the user with this address')
    .option('--limit <number>', 'the most users, up to 1000', limitIn)
    .option('--after <id>', 'continue after this id')
    .action(async (flags: PageFlags & { readonly email?: string }) => {
      const { users, next } = await usersOf(context, flags);
      noteNext(context, next);
      context.show(globalOptions(), { users, next }, () => {
        const rows = users.map((user) => [
          user.id,
          user.email,
          user.username,
          stateOf(user),
          momentText(user.createdTime),
        ]);
        return table(context, ['id', 'e-mail', 'name', 'state', 'created'], rows);
      });
    });
  for (const [command, disabled, summary] of [
    ['disable', true, 'disable a user: sessions end, and tokens do not work'],
    ['enable', false, 'enable a user again'],
  ] as const) {
    admin
      .command(command)
      .description(summary)
      .argument(...USER)
      .action(async (reference: string) => {
        const id = await userIdOf(context, reference);
        await context.request('PUT', `${PATH}/user`, { id, disabled });
        context.show(globalOptions(), { id, disabled }, () => [`${reference} is ${command}d`]);
      });
  }
}

/** A page, or the one user with the address. */
async function usersOf(
  context: Context,
  { email, ...page }: PageFlags & { readonly email?: string },
): Promise<Pick<Users, 'users' | 'next'>> {
  if (email !== undefined) return { users: [await userOf(context, email)], next: null };
  return context.request<Users>('GET', `${PATH}/users`, page);
}

function stateOf({ admin, disabled, maintainer }: User): string {
  const states = [
    ...(admin ? ['administrator'] : []),
    ...(disabled ? ['disabled'] : []),
    ...(maintainer === undefined ? [] : [`bot of ${maintainer.email}`]),
  ];
  return states.join(', ');
}

function addSessions({ admin, context, globalOptions }: AdminParts): void {
  admin
    .command('sessions')
    .description('list the sessions of a user, or end them')
    .argument(...USER)
    .option('--end <id>', 'end this session')
    .option('--end-all', 'end all sessions')
    .action(async (reference: string, { end, endAll }: { readonly end?: string; readonly endAll?: boolean }) => {
      if (end !== undefined && endAll) throw new CliError('usage', 'Give either --end or --end-all.', 'Leave one out.');
      const user = await userIdOf(context, reference);
      if (end !== undefined || endAll) {
        await context.request('DELETE', `${PATH}/session`, end === undefined ? { user, all: true } : { user, id: end });
        const said = end === undefined ? `all sessions of ${reference} ended` : `session ${end} ended`;
        return context.show(globalOptions(), { user, ended: end ?? 'all' }, () => [said]);
      }
      const { sessions } = await context.request<UserSessions>('GET', `${PATH}/sessions`, { user });
      context.show(globalOptions(), sessions, () => {
        const rows = sessions.map((each) => [
          each.id,
          momentText(each.createdTime),
          momentText(each.expires),
          lastOf(each),
        ]);
        return table(context, ['session', 'created', 'until', 'last used'], rows);
      });
    });
}

function addTokens({ admin, context, globalOptions }: AdminParts): void {
  admin
    .command('tokens')
    .description('list the API tokens of a user or a bot, or revoke one')
    .argument(...USER)
    .option('--revoke <id>', 'end this token')
    .action(async (reference: string, { revoke: id }: { readonly revoke?: string }) => {
      const user = await userIdOf(context, reference);
      if (id !== undefined) {
        await context.request('DELETE', `${PATH}/token`, { user, id });
        return context.show(globalOptions(), { user, id, revoked: true }, () => [`token ${id} revoked`]);
      }
      const { tokens } = await context.request<UserTokens>('GET', `${PATH}/tokens`, { user });
      context.show(globalOptions(), tokens, () => {
        const rows = tokens.map((each) => [
          each.id,
          each.prefix,
          each.scopes.join(','),
          each.expires === null ? '' : momentText(each.expires),
          lastOf(each),
        ]);
        return table(context, ['id', 'token', 'scopes', 'until', 'last used'], rows);
      });
    });
}

function lastOf({ lastUsed }: { readonly lastUsed: string | null }): string {
  return lastUsed === null ? '' : momentText(lastUsed);
}

function addHooks({ admin, context, globalOptions }: AdminParts): void {
  const hooks = admin.command('hooks').description('list the webhooks of all users, or disable one');
  hooks
    .command('list', { isDefault: true })
    .description('list the webhooks by id')
    .option('--state <state>', 'only those in this state: pending, active or disabled')
    .option('--limit <number>', 'the most webhooks, up to 1000', limitIn)
    .option('--after <id>', 'continue after this id')
    .action(async (flags: PageFlags & { readonly state?: string }) => {
      const { hooks: found, next } = await context.request<UserWebhooks>('GET', `${PATH}/hooks`, flags);
      noteNext(context, next);
      context.show(globalOptions(), { hooks: found, next }, () => {
        const rows = found.map((hook) => [
          hook.id,
          hook.user.email,
          hook.reason === null ? hook.state : `${hook.state} (${hook.reason})`,
          ...[hook.lastSuccess, hook.failingSince, hook.waitingSince].map((time) =>
            time === null ? '' : momentText(time),
          ),
        ]);
        return table(context, ['webhook', 'user', 'state', 'last success', 'failing since', 'waiting since'], rows);
      });
    });
  hooks
    .command('disable')
    .description('stop a webhook; its user can enable it again')
    .argument('<id>', 'its id')
    .action(async (id: string) => {
      await context.request('POST', `${PATH}/hook/disable`, { id });
      context.show(globalOptions(), { id, disabled: true }, () => [`${id} is disabled`]);
    });
}

function noteNext({ output }: Context, next: string | null): void {
  if (next !== null) output.note(`There are more: --after ${next}`);
}

function limitIn(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new CliError('usage', '--limit is a number up to 1000.', 'Write it as --limit 100.');
}

/** The id of the user that an address or an id names. */
async function userIdOf(context: Context, reference: string): Promise<string> {
  if (!reference.includes('@')) return reference;
  return (await userOf(context, reference)).id;
}

async function userOf(context: Context, email: string): Promise<User> {
  return (await context.request<FoundUser>('POST', `${PATH}/user/find`, { email })).user;
}
