// The five faults of a game day: what an alert says, what makes the fault visible, and which action
// repairs it.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { type Backend, GATEWAYS, WORKERS } from '../run/schedule.ts';
import type { GameStack } from './game-stack.ts';

export interface Action {
  readonly text: string;
  /** Why this action does not help; null for the right one. */
  readonly wrongBecause: string | null;
}

/** A fault that has begun. */
export interface BegunFault {
  /** Evidence of the fault once it is visible, else null. */
  symptom(): Promise<string | null>;
  /** Takes the right action. */
  repair(): Promise<void>;
  /** Ends the fault without an action. Has no effect after the right one. */
  end(): Promise<void>;
}

export interface Scenario {
  readonly name: 'worker' | 'neo4j' | 'redis' | 'nats' | 'flood';
  /** The heading of its section in docs/operations.md. */
  readonly section: string;
  /** What the person on call reads. */
  readonly page: string;
  readonly actions: readonly Action[];
  /** The backend whose connections it disturbs. */
  readonly proxied?: Backend;
  begin(game: GameStack): Promise<BegunFault>;
}

const HUNG = 'worker-2';
const MILLISECONDS_OF_SLOW_REDIS = 250;
const REFUSALS_OF_A_FLOOD = 50;
const FLOOD_LANES = 8;
const FLOOD_EMAIL = 'flood@example.com';

const right = (text: string): Action => ({ text, wrongBecause: null });
const wrong = (text: string, wrongBecause: string): Action => ({ text, wrongBecause });

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'worker',
    section: 'TaskgraphPartitionsUnserved',
    page: 'A worker does not answer its scrapes. Commands of some users were late for some seconds.',
    actions: [
      wrong('Restart all workers at once', 'all partitions would be without a worker, and all caches empty'),
      wrong('Restart NATS', 'the other workers renew their leases, so NATS works'),
      right('Kill the process that hangs, so that it is started again'),
      wrong('Lower the number of workers', 'the hanging process stays, and the others get more load'),
    ],
    async begin({ injector, probe }) {
      const end = await injector.begin({ kind: 'pause', target: HUNG, forMs: 0 });
      return {
        end,
        symptom: async () => ((await probe(HUNG, '/readyz')) === null ? `${HUNG} does not answer /readyz` : null),
        repair: () => injector.inject({ kind: 'kill', target: HUNG, forMs: 0 }),
      };
    },
  },
  {
    name: 'neo4j',
    section: 'TaskgraphBackendAway',
    page: 'neo4j cannot be reached. Users report that nothing can be saved.',
    actions: [
      wrong('Restart the workers', 'they reconnect by themselves, and a restart empties their caches'),
      right('Restart Neo4j, which is the only backend that is away, on its own data'),
      wrong('Restore the newest export', 'nothing is lost: acknowledged changes are in the store of Neo4j'),
      wrong('Raise COMMAND_DEADLINE_MS', 'commands would only wait longer before they fail'),
    ],
    async begin({ injector, probe }) {
      const end = await injector.begin({ kind: 'pause', target: 'neo4j', forMs: 0 });
      return {
        end,
        symptom: async () => awayIn((await probe('worker-1', '/readyz'))?.text, 'neo4j'),
        repair: () => injector.inject({ kind: 'kill', target: 'neo4j', forMs: 0 }),
      };
    },
  },
  {
    name: 'redis',
    section: 'Other faults',
    page: 'Calls have become slower. None fails.',
    proxied: 'redis',
    actions: [
      wrong('Add workers', 'workers do not use Redis, and their mailboxes are empty'),
      wrong('Restart the gateways', 'their sockets would have to connect again, and Redis would be as slow'),
      wrong('Switch rate limits off', 'everybody could flood the service, and pushes would still be late'),
      right('Repair the network to Redis, and leave the services alone'),
    ],
    async begin(game) {
      const token = await game.stack.token('reader@example.com');
      const end = await game.injector.begin({ kind: 'slow', target: 'redis', forMs: 0 });
      return {
        end,
        async symptom() {
          const start = performance.now();
          await readGraph(game.stack.urls[0] as string, token);
          const took = Math.round(performance.now() - start);
          return took > MILLISECONDS_OF_SLOW_REDIS ? `a REST call takes ${took} ms` : null;
        },
        repair: end,
      };
    },
  },
  {
    name: 'nats',
    section: 'TaskgraphBackendAway',
    page: 'nats cannot be reached. All calls are unavailable.',
    proxied: 'nats',
    actions: [
      right('Restore the connections to NATS'),
      wrong('Delete the bucket of leases', 'it is not damaged; workers create it again only if it is missing'),
      wrong('Restart gateways and workers', 'they reconnect by themselves, and cannot start without NATS'),
      wrong('Restart Neo4j', '/readyz of the workers says that neo4j is up'),
    ],
    async begin({ injector, probe }) {
      const end = await injector.begin({ kind: 'cut', target: 'nats', forMs: 0 });
      return { symptom: async () => awayIn((await probe('gateway-1', '/readyz'))?.text, 'nats'), repair: end, end };
    },
  },
  {
    name: 'flood',
    section: 'TaskgraphCommandsWait',
    page: 'The gateways use much processor time, and rate limits refuse many calls.',
    actions: [
      wrong('Add gateways', 'limits count across all gateways, so the flood only gets more of them'),
      wrong('Raise the limits', 'more calls of the flood would reach the workers'),
      right('Find the user with the most calls, and disable the user'),
      wrong('Restart Redis', 'the counts would begin again, and the flood continue'),
    ],
    begin: beginFlood,
  },
];

/** Reads a page over REST; returns the status. */
async function readGraph(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/api/graph?limit=1`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

function awayIn(text: string | undefined, backend: Backend): string | null {
  return text?.includes(`"${backend}":"away"`) ? text : null;
}

/** One user calls as fast as possible until their token is refused, or the flood is over. */
async function beginFlood(game: GameStack): Promise<BegunFault> {
  const { stack } = game;
  const token = await stack.token(FLOOD_EMAIL);
  const before = await game.sum(GATEWAYS, 'taskgraph_rate_limited_total');
  let isOver = false;
  const lane = async (number: number) => {
    for (let status = 0; status !== 401 && !isOver; ) {
      // Without an answer the stack has ended.
      status = await readGraph(stack.urls[number % stack.urls.length] as string, token).catch(() => 401);
    }
  };
  const flood = Promise.all(Array.from({ length: FLOOD_LANES }, (_, number) => lane(number)));
  return {
    async symptom() {
      const refused = (await game.sum(GATEWAYS, 'taskgraph_rate_limited_total')) - before;
      return refused > REFUSALS_OF_A_FLOOD ? `${refused} calls were refused by rate limits` : null;
    },
    async repair() {
      const { code, output } = await runAdmin(stack, 'user', ['--email', FLOOD_EMAIL, '--disable']);
      if (code !== 0) throw new Error(output);
      await flood;
    },
    async end() {
      isOver = true;
      await flood;
    },
  };
}

/** What a person on call may look at: `readyz`, or the lines of `metrics` with a text. */
export async function look(game: GameStack, command: string): Promise<string> {
  const [kind, text = ''] = command.split(' ', 2);
  const path = kind === 'metrics' ? '/metrics' : '/readyz';
  const lines = [...GATEWAYS, ...WORKERS].map(async (service) => {
    const answer = await game.probe(service, path);
    if (answer === null) return [`${service}: no answer`];
    const shown = kind === 'metrics' ? answer.text.split('\n').filter((line) => isShown(line, text)) : [answer.text];
    // Those that are 0 say least.
    const sorted = shown.toSorted((one, other) => Number(/ 0$/.test(one)) - Number(/ 0$/.test(other)));
    return sorted.slice(0, MOST_LINES).map((line) => `${service}: ${line}`);
  });
  return (await Promise.all(lines)).flat().join('\n');
}

const MOST_LINES = 10;

function isShown(line: string, text: string): boolean {
  return !line.startsWith('#') && line.startsWith('taskgraph_') && !line.includes('_bucket') && line.includes(text);
}
