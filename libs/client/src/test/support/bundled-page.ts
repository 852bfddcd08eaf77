// A module of the client in Chromium, on a page of a server that belongs to the test.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, openBrowser, type Page } from '@taskgraph/testkit/stack/browser';
import { rolldown } from 'rolldown';
import { expect } from 'vitest';

const HTML = '<!doctype html><title>module</title><script src="/module.js"></script>';

export interface BundledPages {
  readonly url: string;
  /** Opens the page in a browser context of the test. Its global `built` has the exports of the module. */
  open(): Promise<Page>;
  /** Resolves when a page requests this path. */
  requested(path: string): Promise<void>;
  close(): Promise<void>;
}

/** `module`: the path of the module, relative to `libs/client/src`. */
export async function bundledPages(module: string): Promise<BundledPages> {
  const bundle = await rolldown({ input: new URL(`../../${module}`, import.meta.url).pathname });
  const { output } = await bundle.generate({ format: 'iife', name: 'built' });
  await bundle.close();
  const awaited = new Map<string, () => void>();
  const server = createServer(({ url = '/' }, response) => {
    const isScript = url === '/module.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? output[0].code : HTML);
    awaited.get(url)?.();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const browser: Browser = await openBrowser();
  const context = await browser.newContext();
  return {
    url,
    async open() {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    requested: (path) => new Promise((resolve) => awaited.set(path, resolve)),
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/**
 * Resolves when this condition of `held` and `pending`, the names of the locks of the browser, is true.
 * Playwright's `waitForFunction` takes a promise for true.
 */
export async function untilLocks(page: Page, condition: string): Promise<void> {
  const query = `navigator.locks.query().then((locks) => {
    const [held, pending] = [locks.held.map(({ name }) => name), locks.pending.map(({ name }) => name)];
    return ${condition};
  })`;
  await expect.poll(() => page.evaluate(query)).toBe(true);
}
