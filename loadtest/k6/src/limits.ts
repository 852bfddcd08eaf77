// Runs one script for each limit, each with its own user and address, and counts the accepted
// calls.
import { LIMITS, type LimitName, variableOf } from '@taskgraph/commands/rate-limits';
import type { Stack } from '@taskgraph/launcher/stack';
import { operations } from '@taskgraph/wire/operations/operations';
import type { RunScript } from './program.ts';
import { withStack } from './stack.ts';

/** The result for one limit. */
export interface LimitResult {
  readonly limit: LimitName;
  readonly way: 'REST' | 'Socket.IO';
  readonly points: number;
  readonly seconds: number;
  readonly sent: number;
  readonly admitted: number;
  readonly ok: boolean;
}

/** Requests for limits that no command has: a rejected call counts like any other. */
const ROUTES: Readonly<Partial<Record<LimitName, { readonly method: string; readonly path: string }>>> = {
  'health:minute': { method: 'GET', path: '/api/health' },
  'health:hour': { method: 'GET', path: '/api/health' },
  files: { method: 'GET', path: '/openapi.json' },
  login: { method: 'POST', path: '/api/login' },
  register: { method: 'POST', path: '/api/register' },
  'token:create': { method: 'POST', path: '/api/token' },
  'hook:replay': { method: 'POST', path: '/api/hook/replay' },
  'admin:status': { method: 'GET', path: '/api/admin/status' },
};
/** Limits whose calls also count towards a tighter limit, which is disabled for them. */
const LIFTED: Readonly<Partial<Record<LimitName, LimitName>>> = { 'health:hour': 'health:minute' };
/**
 * Counted by a field of the body that these scripts do not send
 * (services/gateway/src/accounts/sign-up.alone.test.ts tests it), before any Socket.IO call
 * (services/gateway/src/socket/connections.test.ts), by the tighter limit `token:create` too
 * (services/gateway/src/accounts/account-limits.cluster.test.ts), or at the address of a calendar
 * (services/gateway/src/accounts/calendars/calendars.cluster.test.ts).
 */
const TRIED_ELSEWHERE: readonly LimitName[] = ['mail', 'bot:create', 'calendar', 'calendar:user', 'upgrade'];
/** REST calls used in turn, so that each stays below its own limit. */
const REST_CALLS = 12;

type Row = (typeof LIMITS)[number];

/**
 * All limits in sequence, in two stacks: the second disables the limits that are tighter than an
 * hourly one.
 */
export async function testLimits(run: RunScript, note: (line: string) => void): Promise<LimitResult[]> {
  const lifted: readonly Row[] = LIMITS.filter(({ name }) => LIFTED[name] !== undefined);
  const plain = LIMITS.filter((row) => !lifted.includes(row) && !TRIED_ELSEWHERE.includes(row.name));
  const lifting = lifted.map(({ name }) => [variableOf(LIFTED[name] as LimitName), '1000000/60']);
  return [...(await testAll(plain, {})), ...(await testAll(lifted, Object.fromEntries(lifting)))];

  async function testAll(chosen: readonly Row[], environment: Record<string, string>): Promise<LimitResult[]> {
    note('starting a stack with two gateways');
    return withStack(environment, async (stack) => {
      const results: LimitResult[] = [];
      for (const [index, row] of chosen.entries()) {
        note(`${row.name}: ${row.points} in ${row.seconds} s`);
        results.push(await testLimit(run, stack, row, `203.0.113.${index + 1}`));
      }
      return results;
    });
  }
}

async function testLimit(run: RunScript, stack: Stack, row: Row, address: string): Promise<LimitResult> {
  const { name, transport, points, seconds } = row;
  // A few calls beyond small limits, some hundred beyond large ones.
  const sent = points + Math.max(5, Math.min(300, Math.ceil(points / 10)));
  const username = name.replace(/:/g, '_');
  const token = await stack.makeToken(`${username}@example.com`, username);
  const common = { URLS: stack.urls.join(','), TOKEN: token, ADDRESS: address };
  const { script, ...own } = scriptOf(row);
  const numbers = { POINTS: String(points), SENT: String(sent) };
  const { ok, figures } = await run(script, { ...common, ...numbers, ...own });
  const way = transport === 'rest' ? 'REST' : 'Socket.IO';
  return { limit: name, way, points, seconds, sent, admitted: figures.admitted ?? 0, ok };
}

/** The script of a limit, and its variables. */
function scriptOf({ name, transport, calls, subjects }: Row): { script: string } & Record<string, string> {
  if (name === 'connect') return { script: 'limits-connect.js' };
  // A call with an invalid payload counts like any other.
  if (name === 'graph:walk') return { script: 'limits-socket.js', EVENT: 'graph:get', AFTER: 'none' };
  if (transport === 'socket') return { script: 'limits-socket.js', EVENT: calls === 'all' ? 'node:add' : name };
  const route = ROUTES[name];
  if (route !== undefined) {
    const byUser = (subjects as readonly string[]).includes('user');
    const calls = JSON.stringify([[route.method, route.path]]);
    return { script: 'limits-rest.js', CALLS: calls, ...(byUser ? {} : { TOKEN: '' }) };
  }
  // Without a required field the gateway rejects these commands, so no worker can slow down the
  // run.
  const commands = operations.filter(({ kind, name }) => kind === 'command' && name !== 'node:add');
  const routes = commands.map(({ transports: { rest } }) => [rest.method, rest.path]);
  return { script: 'limits-rest.js', CALLS: JSON.stringify(routes.slice(0, calls === 'each' ? 1 : REST_CALLS)) };
}
