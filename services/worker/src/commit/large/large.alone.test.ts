// Commands on large branches commit alone and do not block others: on a whole stack, other users
// get answers all the time while large commands run. The benchmark `noisy-neighbour move` compares
// durations.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { branchFeed } from '@taskgraph/wire/feeds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findInconsistencies } from '../../test/support/integrity-checker.ts';
import { sow, tree } from '../../test/support/large-graphs.ts';

/** Nodes of each tree. The nightly test doubles them. */
const NODES = Number(process.env.MANY_NODES ?? 5_000) * 2;
/** The number of writers of each other user, and their pause between two calls. */
const WRITERS = 2;
const PAUSE_MS = 10;
const TIMEOUT_MS = 180_000;
/**
 * Answers that each writer gets during a large command. A blocked writer gets one or two. Other load
 * on the machine slows commands and writers alike.
 */
const MINIMUM_ANSWERS = 6;

let stack: TestStack;
let database: Database;
beforeAll(async () => {
  // One worker and one gateway, so that all commands share them, and long deadlines for the large
  // commands on a busy machine.
  stack = await startTestStack({ workers: 1, gateways: 1, environment: { COMMAND_DEADLINE_MS: '120000' } });
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = stack.environment;
  database = openDatabase({ url, user, password });
}, TIMEOUT_MS);
afterAll(async () => {
  await database?.close();
  await stack?.stop();
});

const tokensOf = (names: readonly string[]) => Promise.all(names.map((name) => stack.token(emailOf(name))));

async function call(token: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${stack.urls[0]}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
}

/**
 * Lets each writer of all users add one node after another until the given work ends. Returns the
 * times of the answers of each writer.
 */
async function answersDuring(tokens: readonly string[], work: () => Promise<unknown>): Promise<number[][]> {
  let isOver = false;
  const writer = async (token: string) => {
    const answeredAt: number[] = [];
    while (!isOver) {
      await call(token, '/api/node', {});
      answeredAt.push(performance.now());
      await sleep(PAUSE_MS);
    }
    return answeredAt;
  };
  const writers = tokens.flatMap((token) => Array.from({ length: WRITERS }, () => writer(token)));
  await work().finally(() => {
    isOver = true;
  });
  return Promise.all(writers);
}

/** Ids of the users with a tree. */
const sown: string[] = [];

/** Creates a tree and returns its root. */
async function sowFor(name: string): Promise<string> {
  const email = emailOf(name);
  const [row] = await database.read('MATCH (u:User {email: $email}) RETURN u.id AS id', { email });
  sown.push(row?.id as string);
  const { nodes } = await sow(database, { id: row?.id as string, email, username: name }, tree(NODES, 10));
  return nodes[0] as string;
}

test(
  'each of eight writers gets answers while two commands change thousands of nodes each',
  async () => {
    const [others, owners] = [await tokensOf(['cy', 'dan', 'eve', 'fay']), await tokensOf(['ann', 'bob'])];
    const roots = [await sowFor('ann'), await sowFor('bob')];
    const spans: [startedAt: number, endedAt: number][] = [];
    const grant = async (token: string, index: number) => {
      const startedAt = performance.now();
      await call(token, '/api/node/access', { id: roots[index], email: emailOf('gus'), level: 3, branch: true });
      spans.push([startedAt, performance.now()]);
    };
    const answers = await answersDuring(others, () => Promise.all(owners.map(grant)));
    const answersIn = ([startedAt, endedAt]: [number, number]) =>
      answers.map((times) => times.filter((at) => at > startedAt && at < endedAt).length);
    expect(Math.min(...spans.flatMap(answersIn))).toBeGreaterThanOrEqual(MINIMUM_ANSWERS);
    const [row] = await database.read('MATCH ()-[m:IN]->() WHERE m.feed IN $feeds RETURN count(m) AS members', {
      feeds: roots.map(branchFeed),
    });
    expect(row).toEqual({ members: 2 * NODES });
    expect(await findInconsistencies(database, sown)).toEqual([]);
  },
  TIMEOUT_MS,
);
