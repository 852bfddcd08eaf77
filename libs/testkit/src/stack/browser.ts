// A browser for tests of pages: Debian's Chromium, installed if it is missing, and driven by
// Playwright.
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { installPrograms } from '@taskgraph/launcher/processes/packages';
import { streamReport } from '@taskgraph/launcher/progress';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';

export type { Browser, Page };

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Opens the browser without a window. It throws if no browser can be installed: its tests are never
 * skipped.
 */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findBrowser(),
    // The sandbox refuses to run as root, as CI does. Tests only load pages of this machine.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

async function findBrowser(): Promise<string> {
  const found = findProgram(NAMES);
  if (found !== undefined) return found;
  const options = { yes: false, environment: process.env, signal: undefined };
  await installPrograms(['chromium'], { ...options, report: streamReport(process.stderr) });
  const installed = findProgram(NAMES);
  if (installed === undefined) throw new Error('chromium was installed, but is not on PATH');
  return installed;
}

/**
 * A page and its faults: errors on its console or in its scripts, failed requests, and requests to
 * other hosts. A request that ends with its document, since the page goes elsewhere, has not failed.
 */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** With cookies and a storage of its own. `locale` is the language of the browser. */
export async function openPage(browser: Browser, url: string, locale = 'en-US'): Promise<WatchedPage> {
  const viewport = { width: 1_280, height: 900 };
  return openTab(await browser.newContext({ viewport, colorScheme: 'light', baseURL: url, locale }), url);
}

/** A further page with the cookies and the storage of others. */
export async function openTab(context: BrowserContext, url: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  let documents = 0;
  const documentOf = new WeakMap<Request, number>();
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A replica ends its request for a page when it closes (WALK2).
    const isOfReplica = new URL(request.url()).pathname === '/api/graph';
    const isEnded = reason === 'net::ERR_ABORTED' && (isOfReplica || documentOf.get(request) !== documents);
    // The browser ends the request of a file that it saves.
    if (!isEnded && !request.url().startsWith('blob:')) problems.push(`${request.url()}: ${reason}`);
  });
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents++;
    documentOf.set(request, documents);
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && host !== new URL(url).host)
      problems.push(`request to another host: ${request.url()}`);
  });
  return { page, problems };
}
