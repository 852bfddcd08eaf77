// The page at /docs and its descriptions, in a real browser on a running stack.
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, openBrowser, openPage, type Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';

const stack = sharedStack();
const [url = ''] = stack.urls;
const REPOSITORY = new URL('../../../../', import.meta.url);
/** Pictures of this run; `DOCS_PICTURES=docs/api` renews those of the documents. */
const PICTURES = fileURLToPath(new URL(process.env.DOCS_PICTURES ?? '.cache/docs-page', REPOSITORY));

let browser: Browser;
let token = '';
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  [browser, token] = await Promise.all([openBrowser(), stack.token(emailOf('reader'))]);
});
afterAll(() => browser?.close());

test.each(['openapi.json', 'asyncapi.json'])('/%s is the file of docs/api, and is cached by clients', async (name) => {
  const response = await fetch(`${url}/${name}`);
  expect(await response.text()).toBe(readFileSync(new URL(`docs/api/${name}`, REPOSITORY), 'utf8'));
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const etag = response.headers.get('etag') ?? '';
  const again = await fetch(`${url}/${name}`, { headers: { 'If-None-Match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const head = await fetch(`${url}/${name}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
});

test('the page may load from and call only this service', async () => {
  for (const path of ['/docs', '/docs/sockets']) {
    const policy = (await fetch(url + path)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/https?:|unsafe|\*/);
  }
});

test('shows the REST API, finds a call, tries it with a token, and has a dark mode', async () => {
  const { page, problems } = await openPage(browser, url);
  await page.goto('/docs');
  const operations = page.locator('.opblock:visible');
  await operations.first().waitFor();
  const all = await operations.count();
  await page.locator('.operation-filter-input').fill('graph bounded');
  await expect.poll(() => operations.count()).toBe(1);
  expect(all).toBeGreaterThan(40);
  await page.locator('.auth-wrapper .authorize').first().click();
  await page.locator('.auth-container input').first().fill(token);
  await page.locator('.auth-container button.authorize').first().click();
  await page.locator('.auth-btn-wrapper .btn-done').first().click();
  await operations.first().locator('.opblock-summary-control').click();
  await page.locator('button.execute').click();
  await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  expect(await page.locator('.live-responses-table .highlight-code').first().innerText()).toContain('"hasMore": false');
  await page.screenshot({ path: `${PICTURES}/rest.png` });
  const light = await backgroundOf(page);
  await page.locator('#theme').click();
  expect(await backgroundOf(page)).not.toBe(light);
  await page.reload();
  expect(await page.evaluate('document.documentElement.className')).toContain('dark-mode');
  expect(problems).toEqual([]);
  await page.close();
});

test('every text of the reference differs in colour from its background, including version badges', async () => {
  const { page } = await openPage(browser, url);
  await page.goto('/docs');
  const badges = page.locator('.info .title .version');
  await badges.first().waitFor();
  expect((await badges.allInnerTexts()).map((text) => text.trim())).toEqual(['0.1.0', 'OAS 3.1']);
  await page.locator('.opblock-summary-control').first().click();
  await page.locator('.opblock-body').first().waitFor();
  const all = await page.locator('#reference *').count();
  for (const _theme of ['light', 'dark']) {
    const { seen, unseen } = await page.evaluate<{ seen: number; unseen: string[] }>(TEXTS);
    expect(seen).toBeGreaterThan(all / 10);
    expect(unseen).toEqual([]);
    await page.locator('#theme').click();
  }
  await page.close();
});

test('[EVT1] shows the sockets, connects with a token, makes a call, and shows its push', async () => {
  const { page, problems } = await openPage(browser, url);
  await page.goto('/docs/sockets');
  await page.locator('details.call').first().waitFor();
  await page.locator('#token').fill(token);
  await page.locator('#connect').click();
  await page.locator('#state', { hasText: 'Connected, as api.' }).waitFor();
  await page.locator('#search').fill('creates a node');
  await expect.poll(() => page.locator('details.call:visible').count()).toBe(1);
  const call = page.locator('details.call:visible');
  await call.locator('summary').click();
  await call.locator('textarea').fill('{"title": "Go live"}');
  await call.getByRole('button', { name: 'Call' }).click();
  await call.locator('.answer', { hasText: '"ok": true' }).waitFor();
  const push = page.locator('#pushes details[data-event="graph:diff"]');
  await push.locator('summary').click();
  expect(await push.locator('pre').innerText()).toContain('"title": "Go live"');
  expect(await page.locator('#pushes details[data-event="connected"]').count()).toBe(1);
  await page.screenshot({ path: `${PICTURES}/sockets.png` });
  await page.locator('#disconnect').click();
  await page.locator('#state', { hasText: 'Not connected.' }).waitFor();
  expect(problems).toEqual([]);
  await page.close();
});

test('[AUTH3] the page reports a wrong token', async () => {
  const { page } = await openPage(browser, url);
  await page.goto('/docs/sockets');
  await page.locator('#token').fill('tg_wrong');
  await page.locator('#connect').click();
  await page.locator('#state', { hasText: 'Refused: unauthorized' }).waitFor();
  await page.close();
});

function backgroundOf(page: Page): Promise<string> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor');
}

/** Runs in the browser: the number of elements with text, and those whose text is invisible. */
const TEXTS = `(() => {
  const backgroundBehind = (element) => {
    if (element === null) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? backgroundBehind(element.parentElement) : backgroundColor;
  };
  const hasText = ({ childNodes }) => [...childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  const texts = [...document.querySelectorAll('#reference *')].filter(hasText);
  const unseen = texts.filter((element) => getComputedStyle(element).color === backgroundBehind(element));
  return { seen: texts.length, unseen: unseen.map(({ tagName, innerText }) => tagName + ': ' + innerText) };
})()`;
