// hooks listen: changes of the running service, signed, at a server of the caller's own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { WebhookMessage } from '@taskgraph/client';
import { verifyHook } from '@taskgraph/client/hooks';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { openHome, PROGRAM } from './support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

test('[HOOK14] hooks listen posts a ping and then each change, signed with the secret that it prints', async () => {
  const home = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) });
  let secret = '';
  const received: WebhookMessage[] = [];
  const server = createServer(async (request, response) => {
    received.push(verifyHook(await text(request), request.headers, secret));
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const forward = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const words = ['--json', 'hooks', 'listen', '--forward', forward, '--events', 'node.added,node.completed'];
  const env = { ...process.env, ...home.environment };
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
    lines.on('line', (line) => {
      secret ||= (JSON.parse(line) as { secret?: string }).secret ?? '';
    });
    await expect.poll(() => received.map(({ type }) => type)).toEqual(['hook.ping']);
    await home.run(['add', 'Go', 'live']);
    await home.run(['edit', 'go-live', '--title', 'Go live today']);
    await home.run(['done', 'go-live-today']);
    const events = () =>
      received.flatMap((each) => (each.type === 'graph.changed' ? each.data.events.map(({ type }) => type) : []));
    await expect.poll(events).toEqual(['node.added', 'node.completed']);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
    await home.remove();
  }
});

test('[HOOK14] hooks listen needs an address and an account', async () => {
  const home = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: 'tg_none' });
  const wrong = await home.run(['hooks', 'listen', '--forward', '3000']);
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.usage, expect.stringContaining('--forward is not a URL')]);
  const stranger = await home.run(['hooks', 'listen', '--forward', 'http://127.0.0.1:3000']);
  expect(stranger.code).toBe(EXIT.signedOut);
  await home.remove();
});
