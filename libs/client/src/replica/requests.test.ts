// From where a replica reads its pages. Rule: WALK2.
import { expect, test } from 'vitest';
import type { Connected, Session } from '../session.ts';
import { resyncReads } from './requests.ts';

const greetingOf = (uid: string) => ({ uid }) as unknown as Connected;
const page = (next: string) => ({ nodes: [], links: [], next, hasMore: true }) as never;

function setUp() {
  let connection = greetingOf('ann');
  const calls: string[] = [];
  let restAnswer: () => Promise<never> = async () => page('rest');
  const session = {
    connected: () => connection,
    queue: {
      async call({ event }: { event: string }) {
        calls.push(event);
        return page('socket');
      },
    },
  } as unknown as Session;
  const reads = resyncReads(
    session,
    () => 'ann',
    (after) => {
      calls.push(`rest ${after}`);
      return restAnswer();
    },
  );
  return {
    calls,
    reads,
    answerRest: (answer: () => Promise<never>) => {
      restAnswer = answer;
    },
    reconnect: () => {
      connection = greetingOf('ann');
    },
  };
}

test.each<[string, () => Promise<never>]>([
  ['fails', () => Promise.reject(new Error('refused'))],
  ['gives no page', async () => null as never],
])('[WALK2] after a request over REST that %s, the socket reads all pages of the connection', async (_, answer) => {
  const { calls, reads, answerRest, reconnect } = setUp();
  await reads.page(null);
  answerRest(answer);
  for (const after of ['a', 'b', 'c']) expect((await reads.page(after)).next).toBe('socket');
  expect(calls).toEqual(['rest null', 'rest a', 'graph:get', 'graph:get', 'graph:get']);
  reconnect();
  answerRest(async () => page('rest'));
  expect((await reads.page('d')).next).toBe('rest');
});
