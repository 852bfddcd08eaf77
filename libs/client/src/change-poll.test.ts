// Following changes over REST, with a server of this test.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { rest } from './rest.ts';

type Answer = (response: ServerResponse) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const NONE = { nodes: [], links: [] };
const page = (position: string, ids: readonly string[], next: string | null = null) => ({
  ok: true,
  position,
  hasMore: next !== null,
  next,
  nodes: ids.map((id) => ({ id })),
  links: [],
  gone: NONE,
  feeds: { gained: [], lost: [] },
});
const say =
  (body: object, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const refuse = (error: string, details: object = {}) => ({ ok: false, error, message: '', details });

/** A server that gives these answers in turn, and then none. */
async function serve(answers: readonly Answer[]) {
  const asked: Record<string, unknown>[] = [];
  let noteWaiting = () => undefined as unknown;
  const waiting = new Promise<void>((resolve) => {
    noteWaiting = resolve;
  });
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const answer = answers[asked.push(JSON.parse(text) as Record<string, unknown>) - 1];
    if (answer === undefined) noteWaiting();
    else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, waiting, changes: rest({ url, token: 't', rateLimitWaitMs: 0 }).changes };
}

test('[LONG1] each answer with changes is yielded, and the next request continues from it', async () => {
  const { asked, waiting, changes } = await serve([
    say(page('p1', [])),
    say(page('p2', ['a'], 'more')),
    say(page('p2', ['b'])),
  ]);
  const leaving = new AbortController();
  const ids: unknown[] = [];
  void waiting.then(() => leaving.abort());
  for await (const answer of changes({ since: 'p0', wait: 9, signal: leaving.signal })) {
    if (answer.resetRequired !== true) ids.push(answer.nodes.map(({ id }) => id));
  }
  expect(ids).toEqual([['a'], ['b']]);
  expect(asked).toEqual([
    { since: 'p0', wait: 9 },
    { since: 'p1', wait: 9 },
    { since: 'p1', cursor: 'more' },
    { since: 'p2', wait: 9 },
  ]);
});

test('[LONG1 LIM2] it continues from the same position after temporary failures', async () => {
  const { asked, changes } = await serve([
    say(refuse('rate_limited', { limit: 'rest', retryAfterMs: 20 }), 429),
    say(refuse('unavailable'), 503),
    (response) => response.destroy(),
    (response) => response.writeHead(200, { 'Content-Length': '99' }).end('{"ok":', () => response.destroy()),
    say({ ok: true, resetRequired: true }),
  ]);
  const answers: unknown[] = [];
  for await (const answer of changes({ since: 'p0' })) answers.push(answer);
  expect(answers).toEqual([{ ok: true, resetRequired: true }]);
  expect(new Set(asked.map(({ since }) => since))).toEqual(new Set(['p0']));
  expect(asked).toHaveLength(5);
});

test('[LONG2] it throws when the token has ended', async () => {
  const { changes } = await serve([say(refuse('unauthorized'), 401)]);
  await expect(changes({ since: 'p0' }).next()).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a signal ends a request that waits', async () => {
  const { waiting, changes } = await serve([]);
  const leaving = new AbortController();
  const next = changes({ since: 'p0', signal: leaving.signal }).next();
  await waiting;
  leaving.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
