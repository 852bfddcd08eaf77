// Runs one script for each limit, each with a user and an address of its own, and tells how many calls were let in.
import { LIMITS, type LimitName, variableOf } from '@taskgraph/commands/rate-limits';
import type { Stack } from '@taskgraph/launcher/stack';
import { operations } from '@taskgraph/wire/operations/operations';
import type { RunScript } from './program.ts';
import { withStack } from './stack.ts';

/** How a limit was kept. */
export interface Kept {
  readonly limit: LimitName;
  readonly way: 'REST' | 'Socket.IO';
  readonly points: number;
  readonly seconds: number;
  readonly sent: number;
  readonly admitted: number;
  readonly ok: boolean;
}

/** Limits of what is no command: a call that is refused counts like any other. */
const ROUTES: Readonly<Partial<Record<LimitName, { readonly method: string; readonly path: string }>>> = {
  'health:minute': { method: 'GET', path: '/api/health' },
  'health:hour': { method: 'GET', path: '/api/health' },
  login: { method: 'POST', path: '/api/login' },
  register: { method: 'POST', path: '/api/register' },
  'token:create': { method: 'POST', path: '/api/token' },
};
/** Limits whose calls count for a tighter one too, which is lifted for them. */
const LIFTED: Readonly<Partial<Record<LimitName, LimitName>>> = { 'health:hour': 'health:minute' };
/**
 * Counted by what a body names, which these scripts don't send (services/gateway/src/accounts/signing-up.alone.test.ts tries it), and
 * before there is a call of Socket.IO (services/gateway/src/socket/connecting.test.ts).
 */
const TRIED_ELSEWHERE: readonly LimitName[] = ['mail', 'upgrade'];
/** Calls of REST in turn, so that each alone stays below its own limit. */
const REST_CALLS = 12;

type Row = (typeof LIMITS)[number];

/** All limits, one after the other, in two stacks: the second lifts what stands before an hourly limit. */
export async function testLimits(run: RunScript, note: (line: string) => void): Promise<Kept[]> {
  const lifted: readonly Row[] = LIMITS.filter(({ name }) => LIFTED[name] !== undefined);
  const plain = LIMITS.filter((row) => !lifted.includes(row) && !TRIED_ELSEWHERE.includes(row.name));
  const lifting = lifted.map(({ name }) => [variableOf(LIFTED[name] as LimitName), '1000000/60']);
  return [...(await testAll(plain, {})), ...(await testAll(lifted, Object.fromEntries(lifting)))];

  async function testAll(chosen: readonly Row[], environment: Record<string, string>): Promise<Kept[]> {
    note('starting a stack with two gateways');
    return withStack(environment, async (stack) => {
      const kept: Kept[] = [];
      for (const [index, row] of chosen.entries()) {
        note(`${row.name}: ${row.points} in ${row.seconds} s`);
        kept.push(await testLimit(run, stack, row, `203.0.113.${index + 1}`));
      }
      return kept;
    });
  }
}

async function testLimit(run: RunScript, stack: Stack, row: Row, address: string): Promise<Kept> {
  const { name, transport, points, seconds } = row;
  // Past small limits a few, past large ones some hundred.
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

/** The script of a limit, and what it is told besides. */
function scriptOf({ name, transport, calls, scopes }: Row): { script: string } & Record<string, string> {
  if (name === 'connect') return { script: 'limits-connect.js' };
  // A call that is refused by its shape counts like any other.
  if (transport === 'socket') return { script: 'limits-socket.js', EVENT: calls === 'all' ? 'node:add' : name };
  const route = ROUTES[name];
  if (route !== undefined) {
    const byUser = (scopes as readonly string[]).includes('user');
    const calls = JSON.stringify([[route.method, route.path]]);
    return { script: 'limits-rest.js', CALLS: calls, ...(byUser ? {} : { TOKEN: '' }) };
  }
  // Commands that need a field are refused without one in the gateway, so that no worker can make the run slow.
  const commands = operations.filter(({ kind, name }) => kind === 'command' && name !== 'node:add');
  const routes = commands.map(({ transports: { rest } }) => [rest.method, rest.path]);
  return { script: 'limits-rest.js', CALLS: JSON.stringify(routes.slice(0, calls === 'each' ? 1 : REST_CALLS)) };
}
