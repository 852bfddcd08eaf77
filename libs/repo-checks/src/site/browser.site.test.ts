// The built site in a browser: search, widths, themes and tabs. `npm run test:site` builds it before.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { type Browser, openBrowser, openPage, type WatchedPage } from '@taskgraph/testkit/stack/browser';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { programsUnder } from './page-programs.ts';
import { type SiteServer, startSiteServer } from './test/site-server.ts';

const PATIENCE_MS = 60_000;
/** A reader looks at this many hits. */
const SEEN_HITS = 5;

/** Common questions, as people type them, and the page that answers each. */
const QUESTIONS: readonly (readonly [question: string, page: string])[] = [
  ['get started with python', 'start.html'],
  ['connect an agent with MCP', 'agents.html'],
  ['webhook signature', 'webhooks.html'],
  ['create an api token', 'accounts.html'],
  ['idempotency key', 'rules.html'],
  ['import from Jira', 'sources.html'],
  ['backup and restore', 'operations.html'],
  ['rate limit', 'limits.html'],
  ['critical path', 'concepts.html'],
  ['mirror an issue tracker', 'recipes.html'],
];

/** Pages with wide tables, long codes, pictures and programs. */
const WIDE_PAGES = [
  '',
  'start',
  'concepts',
  'compare',
  'interface',
  'configuration',
  'errors',
  'console',
  'design/graph-rules',
];

/** The tabs of the page start, in their order, and the language of the program in each. */
const TABS: readonly (readonly [label: string, language: string])[] = [
  ['TypeScript', 'ts'],
  ['Python', 'python'],
  ['Go', 'go'],
  ['curl', 'sh'],
  ['Command line', 'sh'],
  ['MCP', 'sh'],
];

let browser: Browser;
let server: SiteServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), startSiteServer(join(REPOSITORY, 'dist', 'site'))]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const opened: WatchedPage[] = [];
afterEach(async () => {
  const problems = opened.flatMap((page) => page.problems);
  await Promise.all(opened.splice(0).map(({ page }) => page.context().close()));
  expect(problems, problems.join('; ')).toEqual([]);
});

async function openSite(path: string): Promise<WatchedPage['page']> {
  const watched = await openPage(browser, server.url);
  opened.push(watched);
  watched.page.setDefaultTimeout(PATIENCE_MS);
  await watched.page.addInitScript(`addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error('policy: ' + violatedDirective + ' ' + blockedURI))`);
  await watched.page.goto(path === '' ? '/' : `/${path}.html`);
  return watched.page;
}

test.each(QUESTIONS)('search finds: %s, on %s', async (question, page) => {
  const site = await openSite('');
  // The shortcut works once the page runs.
  await expect
    .poll(
      async () => {
        await site.keyboard.press('Control+k');
        return site.locator('.VPLocalSearchBox .search-input').count();
      },
      { timeout: PATIENCE_MS },
    )
    .toBe(1);
  await site.locator('.VPLocalSearchBox .search-input').fill(question);
  const hits = site.locator('.VPLocalSearchBox .result');
  await hits.first().waitFor();
  const pages = async () => {
    const addresses = await hits.evaluateAll((links: { href: string }[]) => links.map(({ href }) => href));
    return addresses.slice(0, SEEN_HITS).map((address) => new URL(address).pathname.slice(1));
  };
  await expect.poll(pages, { timeout: PATIENCE_MS }).toContain(page);
});

test.each([1_280, 768, 320])('nothing leaves a window of %d pixels, in both themes', async (width) => {
  for (const path of WIDE_PAGES) {
    // A page of its own each: leaving a page ends what it loads in advance.
    const site = await openSite(path);
    await site.setViewportSize({ width, height: 800 });
    await site.locator('h1').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await site.emulateMedia({ colorScheme });
      const [content, window] = await site.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      expect(content, `${path}, ${colorScheme}`).toBeLessThanOrEqual(window);
    }
  }
});

test('it has the theme of the system, and the switch changes it for all pages', async () => {
  const site = await openSite('concepts');
  const ground = () => site.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  expect(await ground()).toBe('rgb(255, 255, 255)');
  await site.locator('.VPNavBarAppearance .VPSwitch, .VPNavBar .VPSwitchAppearance').first().click();
  // The dark ground of the console.
  await expect.poll(ground).toBe('rgb(20, 23, 28)');
  await site.locator('.VPNavBar a', { hasText: 'Start' }).click();
  await site.locator('h1', { hasText: 'Start in five minutes' }).waitFor();
  await site.reload();
  await expect.poll(ground).toBe('rgb(20, 23, 28)');
});

test('a system with a dark theme gets dark pages', async () => {
  const site = await openSite('concepts');
  await site.emulateMedia({ colorScheme: 'dark' });
  // A reload would end requests of this document that begin after those of the next one.
  await site.waitForLoadState('networkidle');
  await site.reload();
  await expect
    .poll(() => site.evaluate<string>('getComputedStyle(document.body).backgroundColor'))
    .toBe('rgb(20, 23, 28)');
});

test('a link leads to another page without a load, and its heading shows', async () => {
  const site = await openSite('concepts');
  await site.locator('.vp-doc a', { hasText: 'agents.md' }).first().click();
  await site.locator('h1', { hasText: 'Agents' }).waitFor();
  expect(new URL(site.url()).hash).toBe('#a-loop-of-claims');
});

/** The tabs of the page start, once its script runs. */
async function openTabs(path: string) {
  const site = await openSite('start');
  // The address with an anchor is opened in the page, as a link would.
  if (path !== '') await site.goto(`/start.html${path}`);
  const tabs = site.locator('[role="tab"]');
  await tabs.first().waitFor();
  const selected = site.locator('[role="tab"][aria-selected="true"]');
  const panel = site.locator('[role="tabpanel"]:visible');
  return { site, tabs, selected, panel };
}

test('each tab of the page start shows the program that tests run, and no other', async () => {
  const { tabs, selected, panel } = await openTabs('');
  const document = readFileSync(join(REPOSITORY, 'docs', 'start.md'), 'utf8');
  expect(await tabs.allInnerTexts()).toEqual(TABS.map(([label]) => label));
  for (const [label, language] of TABS) {
    await tabs.filter({ hasText: label }).click();
    expect(await selected.allInnerTexts()).toEqual([label]);
    expect(await panel.count()).toBe(1);
    const programs = await panel.locator(`.language-${language} code`).allTextContents();
    expect(programs.map((text) => text.trimEnd())).toEqual(
      programsUnder(document, label, language).map((text) => text.trimEnd()),
    );
  }
});

test('the keyboard selects the tabs: arrows, Home and End, and Tab leads into the section', async () => {
  const { site, tabs, selected, panel } = await openTabs('');
  await tabs.first().focus();
  const steps = [
    ['ArrowRight', 'Python'],
    ['ArrowLeft', 'TypeScript'],
    ['ArrowLeft', 'MCP'],
    ['ArrowRight', 'TypeScript'],
    ['End', 'MCP'],
    ['Home', 'TypeScript'],
  ] as const;
  for (const [key, label] of steps) {
    await site.keyboard.press(key);
    expect(await selected.allInnerTexts(), key).toEqual([label]);
    expect(await site.locator(':focus').innerText(), key).toBe(label);
    expect(await panel.getAttribute('aria-labelledby'), key).toBe(await selected.getAttribute('id'));
  }
  await site.keyboard.press('Tab');
  expect(await panel.locator(':focus').count()).toBe(1);
});

test('an address with the heading of a section selects its tab, and the tab gives this address', async () => {
  const { site, tabs, selected } = await openTabs('#mcp');
  await expect.poll(() => selected.allInnerTexts()).toEqual(['MCP']);
  // Below the bar of the page, and in the upper half of the window.
  const isInView = async () => {
    const top = (await selected.boundingBox())?.y ?? 0;
    return top > 60 && top < 400;
  };
  await expect.poll(isInView, { timeout: PATIENCE_MS }).toBe(true);
  await tabs.filter({ hasText: 'Go' }).click();
  expect(new URL(site.url()).hash).toBe('#go');
  await site.locator('.VPDocAsideOutline a', { hasText: 'Python' }).click();
  await expect.poll(() => selected.allInnerTexts()).toEqual(['Python']);
  await expect.poll(isInView, { timeout: PATIENCE_MS }).toBe(true);
  await site.goBack();
  await expect.poll(() => selected.allInnerTexts()).toEqual(['Go']);
});

test.each([1_280, 768, 320])('all tabs are in a window of %d pixels', async (width) => {
  const { site, tabs } = await openTabs('');
  await site.setViewportSize({ width, height: 800 });
  for (const tab of await tabs.all()) {
    const box = await tab.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(width);
    expect(box?.height).toBeGreaterThanOrEqual(44);
  }
});

test('without scripts the page start shows all sections with their headings', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url });
  try {
    const page = await context.newPage();
    await page.goto('/start.html');
    for (const [label] of TABS) expect(await page.locator('h2', { hasText: label }).isVisible()).toBe(true);
    expect(await page.locator('[role="tab"]').count()).toBe(0);
  } finally {
    await context.close();
  }
});
