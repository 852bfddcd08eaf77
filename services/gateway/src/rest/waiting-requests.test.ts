// The memory of REST calls that wait, with a hand-made app. Rule: LONG2.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { refuse } from '@taskgraph/wire/errors';
import { expect, it } from 'vitest';
import { countInFlight } from '../calls/in-flight.ts';
import { createCompression } from '../http/compression.ts';
import type { App } from '../http/uws.ts';
import { noLimits } from '../limits/limits.ts';
import type { WaitedReply } from '../long-poll/waiting-call.ts';
import { anyRequests, lastingTokens } from '../test/support/open-requests.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { serveRest } from './rest.ts';

const CALLS = 200;
const COOKIE_BYTES = 50_000;
const identity = {
  user: { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' },
  token: { id: '01890000-0000-7000-8000-00000000000a', kind: 'api', readOnly: false, expires: null },
} as const;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A request with a long header of its own. */
function requestOf(number: number) {
  const cookie = Buffer.alloc(COOKIE_BYTES, `cookie ${number} `).toString();
  const headers: Record<string, string> = { authorization: `Bearer ${number}`, cookie };
  return {
    getMethod: () => 'get',
    getUrl: () => '/api/changes',
    getQuery: () => 'since=p&wait=55',
    getHeader: (name: string) => headers[name] ?? '',
    forEach: () => undefined,
  };
}

it('[LONG2] the headers of a request are released while its call waits, and the call is answered later', async () => {
  let handler: ((response: unknown, request: unknown) => void) | undefined;
  const waiting: ((waited: WaitedReply) => void)[] = [];
  serveRest(
    {
      any: (_: string, taken: typeof handler) => {
        handler = taken;
      },
    } as unknown as App,
    {
      authenticate: async () => identity,
      dispatch: async () => ({ ok: true, body: {} }),
      tokens: lastingTokens,
      waitingCalls: {
        waitAfter: (_reply, request) => ({ request, first: { position: 'p', heads: {} } }),
        answer: () => new Promise((resolve) => void waiting.push(resolve)),
      },
      limits: noLimits,
      requests: anyRequests(),
      addressOf: (remote) => remote,
      accountRoutes: [],
      allowedOrigins: [],
      cookies: { isSecure: true },
      hstsSeconds: 0,
      files: new Map(),
      compression: createCompression({ isOn: true }),
      problem: () => null,
      isStopping: () => false,
      inFlight: countInFlight(),
      observe: unobserved,
      agents: false,
      shareOf: (email) => email,
      audit: () => undefined,
      log: { error: (fields) => expect.fail(JSON.stringify(fields)) },
    },
  );
  const statuses: string[] = [];
  const listeners: (() => void)[] = [];
  const response = {
    onAborted: (listener: () => void) => void listeners.push(listener),
    getRemoteAddressAsText: () => Buffer.from('10.0.0.1'),
    cork: (write: () => void) => write(),
    writeStatus: (status: string) => void statuses.push(status),
    writeHeader: () => undefined,
    tryEnd: () => [true, true],
  };
  const open = async (from: number, to: number) => {
    for (let number = from; number < to; number++) handler?.(response, requestOf(number));
    await expect.poll(() => waiting.length).toBe(to);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await open(0, CALLS);
  const after = await open(CALLS, 2 * CALLS);
  expect((after - before) / CALLS).toBeLessThan(COOKIE_BYTES / 2);
  for (const answer of waiting) answer({ reply: refuse('unauthorized', 'The token has ended.'), waitedMs: 1 });
  await expect.poll(() => statuses.length).toBe(2 * CALLS);
  expect(new Set(statuses)).toEqual(new Set(['401 Unauthorized']));
});
