// A real browser for tests of pages: Debian's Chromium, which is installed where it is missing, and driven by Playwright.
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { installPrograms } from '@taskgraph/launcher/processes/packages';
import { streamReport } from '@taskgraph/launcher/progress';
import { type Browser, chromium, type Page } from 'playwright-core';

export type { Browser, Page };

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Opens the browser without a window. Throws where there is none and none can be installed: its tests are never skipped. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findBrowser(),
    // Its sandbox refuses to run as root, as CI does; pages of tests come from this machine alone.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

async function findBrowser(): Promise<string> {
  const found = findProgram(NAMES);
  if (found !== undefined) return found;
  const options = { yes: false, environment: process.env, signal: undefined };
  await installPrograms(['chromium'], { ...options, report: streamReport(process.stderr) });
  const installed = findProgram(NAMES);
  if (installed === undefined) throw new Error('chromium was installed, yet is not on PATH');
  return installed;
}

/** A page, and all that went wrong on it: errors on its console or of its scripts, requests that failed or went to another host. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, colorScheme: 'light', baseURL: url });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && host !== new URL(url).host) problems.push(`another host is asked: ${request.url()}`);
  });
  return { page, problems };
}
