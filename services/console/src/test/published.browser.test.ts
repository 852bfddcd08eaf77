// Published pages: what readers without an account see, and what they never receive.

import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };
const IN_PROGRESS = 1;
/** The browser reports the socket that the service closes with the publication. */
const CLOSED = /WebSocket/;
/** Leaving a page interrupts its requests. */
const INTERRUPTED = /net::ERR_ABORTED$/;

async function publish({ client, add }: ConsoleUser) {
  const launch = await add('Go live');
  const build = await add('Build the pages', { target: launch, assignee: ['Gwendolyn'] });
  const write = await add('Write the texts', {
    target: build,
    volume: 4,
    dueDate: '2099-12-24',
    status: IN_PROGRESS,
    description: 'One page for each product.',
  });
  await add('Draw the pictures', { target: build });
  const { diff } = await client.call('node:publish', { id: build });
  const token = String(diff.nodes[0]?.after.publicToken);
  return { launch, build, write, token };
}

const row = (page: Page, title: string) => page.locator('.published-row', { hasText: title });
const titles = (page: Page) => page.locator('.published-row .task-title').allInnerTexts();

test('[CON16 PUB3] shows the branch to everyone, to read only, and follows changes', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann1');
  const { write, token } = await publish(ann);
  const { page } = await openConsole(url, `/p/${token}`);
  await page.getByRole('heading', { level: 1, name: 'Build the pages' }).waitFor();
  expect(await titles(page)).toEqual(['Build the pages', 'Write the texts', 'Draw the pictures']);
  expect(await row(page, 'Write the texts').innerText()).toMatch(/In progress.*effort 4.*due 24 Dec 2099/s);
  expect(await page.locator('input, select, form').count()).toBe(0);
  await row(page, 'Write the texts').locator('summary').click();
  await page.getByText('One page for each product.').waitFor();
  await ann.client.node.update({ id: write, title: 'Write all texts' });
  await row(page, 'Write all texts').waitFor();
  await ann.add('Print the texts', { target: write });
  await row(page, 'Print the texts').waitFor();
  await row(page, 'Write all texts').getByRole('button').click();
  await expect.poll(() => titles(page)).not.toContain('Print the texts');
});

test('[CON16] adds the rows of a large branch by pages', async ({ openConsole, newUser }) => {
  const ann = await newUser('ann2');
  const { write, token } = await publish(ann);
  await ann.client.batch((batch) => {
    for (let index = 0; index < 120; index++) batch.node.add({ title: `Text ${index}`, target: write });
  });
  const { page } = await openConsole(url, `/p/${token}`);
  await row(page, 'Text 0').first().waitFor();
  expect(await page.locator('.published-row').count()).toBe(100);
  await page.getByRole('button', { name: 'Show more tasks' }).click();
  await row(page, 'Text 119').waitFor();
  expect(await page.locator('.published-row').count()).toBe(123);
});

test('[CON16 PUB5] says that a publication has ended, and shows nothing of it', async ({ openConsole, newUser }) => {
  const ann = await newUser('ann3');
  const { build, token } = await publish(ann);
  const { page, expected } = await openConsole(url, `/p/${token}`);
  expected.push(CLOSED, INTERRUPTED);
  await row(page, 'Write the texts').waitFor();
  await ann.client.call('node:unpublish', { id: build });
  await page.getByRole('heading', { level: 1, name: 'Nothing is published here' }).waitFor();
  expect(await page.content()).not.toMatch(/Write the texts|Build the pages/);
  await look(page, 'published-ended');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Nothing is published here' }).waitFor();
});

test('[CON16 PUB4] receives no name and no e-mail, also in the browser of its owner', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('quetzalcoatlus');
  const bob = await newUser('xylophonist');
  const { build, write, token } = await publish(ann);
  await ann.client.call('node:access', { id: build, email: bob.email, level: 2 });
  const { page, expected } = await openAs(openConsole, { url, email: ann.email });
  expected.push(INTERRUPTED);
  const received: Promise<string>[] = [];
  const pages: string[] = [];
  page.on('response', (response) => {
    pages.push(new URL(response.url()).pathname);
    received.push(response.body().then((body) => `${JSON.stringify(response.headers())} ${body.toString('latin1')}`));
  });
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => received.push(Promise.resolve(String(payload)))),
  );
  await page.goto(`/p/${token}`);
  await row(page, 'Write the texts').waitFor();
  await bob.client.node.update({ id: write, title: 'Write all texts', assignee: ['Gwendolyn', bob.email] });
  await row(page, 'Write all texts').waitFor();
  const bytes = (await Promise.all(received)).join('\n');
  // It has what the page shows.
  expect(bytes).toContain('Write all texts');
  expect(pages).toContain(`/p/${token}`);
  for (const secret of [ann.email, bob.email, 'quetzalcoatlus', 'xylophonist', 'Gwendolyn']) {
    expect(bytes.includes(secret), secret).toBe(false);
  }
});

test('[CON16] no request of the page names its address', async ({ openConsole, newUser }) => {
  const { token } = await publish(await newUser('ann5'));
  const { page, expected } = await openConsole(url);
  expected.push(INTERRUPTED);
  const referrers: (string | undefined)[] = [];
  page.on('request', (request) => referrers.push(request.headers().referer));
  await page.goto(`/p/${token}`);
  await row(page, 'Write the texts').waitFor();
  await Promise.all([
    page.waitForResponse('**/api/capabilities'),
    page.getByRole('link', { name: 'Made with Taskgraph' }).click(),
  ]);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(referrers.length).toBeGreaterThan(3);
  expect(referrers.filter((each) => (each ?? '') !== '')).toEqual([]);
});

test('[CON6 CON16] has no violation that a program finds, also on a phone', async ({ openConsole, newUser }) => {
  const { token } = await publish(await newUser('ann6'));
  const { page } = await openConsole(url, `/p/${token}`);
  await row(page, 'Write the texts').waitFor();
  await look(page, 'published');
  await page.setViewportSize(PHONE);
  await look(page, 'phone-published');
  expect(await cutOff(page)).toEqual([]);
});
