// What the page does when a part of it fails, and when its reader changes in another tab.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { openAs, PASSWORD, signIn, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

test('[CON20] a view that fails leaves the session and its queue as they are', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('unlucky');
  const write = await add('Write the texts');
  const { page, expected } = await openAs(openConsole, { url, email });
  expected.push(/board/, /net::ERR_FAILED/, /preload assets/);
  await page.route('**/assets/board-*', (route) => route.abort());
  await page.getByRole('link', { name: 'Board' }).click();
  await page.getByRole('heading', { name: 'This view has failed' }).waitFor();
  await look(page, 'view-failed');
  await client.node.update({ id: write, title: 'Write all texts' });
  await page.getByRole('button', { name: 'Show the ready tasks' }).click();
  await page.getByRole('link', { name: 'Write all texts' }).waitFor();
});

test('[CON20] nothing of a reader stays for the next one in the same tab', async ({ openConsole, newUser }) => {
  const first = await newUser('first');
  const second = await newUser('second');
  const secret = await first.add('The secret plan');
  await second.add('Another plan');
  const { page, expected } = await openAs(openConsole, { url, email: first.email });
  expected.push(/401/);
  await page.getByRole('button', { name: 'Start: The secret plan' }).click();
  await page.getByText('Started “The secret plan”.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, second.email);
  await page.getByRole('link', { name: 'Another plan' }).waitFor();
  expect(await page.locator('body').innerText()).not.toContain('secret');
  await page.keyboard.press('Control+z');
  await page.getByText('Nothing to undo in this window.').waitFor();
  expect((await first.client.node.get({ id: secret })).nodes[0]?.status).toBe(1);
});

test('[CON20] a connection as another user drops what the first one saw', async ({ openConsole, newUser }) => {
  const first = await newUser('early');
  const second = await newUser('late');
  await first.add('The secret plan');
  await second.add('Another plan');
  const { page } = await openAs(openConsole, { url, email: first.email });
  const sockets: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/ext-socket/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.reload();
  await untilLive(page);
  await page.getByRole('button', { name: 'Start: The secret plan' }).click();
  await page.getByText('Started “The secret plan”.').waitFor();
  // As another tab would, and then the connection breaks.
  const credentials = JSON.stringify({ email: second.email, password: PASSWORD });
  const status = await page.evaluate<number>(`fetch('/api/login', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(credentials)},
  }).then((response) => response.status)`);
  expect(status).toBe(200);
  for (const socket of sockets.splice(0)) await socket.close();
  await page.getByRole('link', { name: 'Another plan' }).waitFor();
  expect(await page.locator('body').innerText()).not.toContain('secret');
});
