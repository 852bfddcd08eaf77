// Which failed requests of a page are faults, with a server that belongs to the test.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openBrowser, openPage } from './browser.ts';

/** A server that never answers `/slow`, and says when it is requested. */
async function slowServer() {
  const requests: ServerResponse[] = [];
  let next = () => {};
  const server = createServer(({ url }, response) => {
    if (url !== '/slow') {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><link rel="icon" href="data:,"><title>page</title>');
      return;
    }
    requests.push(response);
    next();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested: () => new Promise<void>((resolve) => (next = resolve)),
    /** Ends the connections of the requests without an answer. */
    fail() {
      for (const response of requests) response.destroy();
    },
    close: () => server.close(),
  };
}

test('a request that ends with its document has not failed; one that the page aborts, or the server, has', async () => {
  const server = await slowServer();
  const browser = await openBrowser();
  try {
    const { page, problems } = await openPage(browser, server.url);
    const request = async (text: string) => {
      const requested = server.requested();
      await page.evaluate(text);
      await requested;
    };
    await page.goto('/');
    await request(`void fetch('/slow').catch(() => {})`);
    await page.goto('/elsewhere');
    expect(problems).toEqual([]);
    await request(
      `globalThis.abort = new AbortController(); void fetch('/slow', { signal: abort.signal }).catch(() => {})`,
    );
    await page.evaluate('abort.abort()');
    await expect.poll(() => problems).toEqual([`${server.url}/slow: net::ERR_ABORTED`]);
    await request(`void fetch('/slow').catch(() => {})`);
    server.fail();
    await expect.poll(() => problems.join('; ')).toContain('net::ERR_EMPTY_RESPONSE');
  } finally {
    await browser.close();
    server.close();
  }
});
