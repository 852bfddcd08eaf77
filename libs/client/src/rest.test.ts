// The outcome of a request after all its attempts have failed, with a server of this test.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { rest } from './rest.ts';

const away = (outcome: string) =>
  JSON.stringify({ ok: false, error: 'unavailable', message: '', details: { outcome } });

/**
 * Sends a mutation to a server that answers the first attempt with this outcome and all others with
 * `not_done`. Null cuts off the first attempt.
 */
async function lastWord(first: string | null): Promise<unknown> {
  let tries = 0;
  const server = createServer((_request, response) => {
    const isFirst = tries++ === 0;
    if (isFirst && first === null) response.destroy();
    else response.writeHead(503).end(away(isFirst ? (first as string) : 'not_done'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await rest({ url, token: 't' })
      .request('POST', '/api/node')
      .catch((error: unknown) => error);
    expect(tries).toBeGreaterThan(1);
    return failure;
  } finally {
    server.close();
  }
}

test('[GEN3] a request fails as not done only if no earlier attempt may have run', async () => {
  const told = await Promise.all(['not_done', 'unknown', null].map(lastWord));
  const outcomes = ['not_done', 'unknown', 'unknown'];
  expect(told).toMatchObject(outcomes.map((outcome) => ({ code: 'unavailable', details: { outcome } })));
});
