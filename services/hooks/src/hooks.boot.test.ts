// The built service as a process of its own, over a real NATS with the users of the services.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@taskgraph/bus/nats/connect';
import { createWebhookRequester, type WebhookSend } from '@taskgraph/bus/requests/webhook-requests';
import { webhookHeaders } from '@taskgraph/runtime/security/webhook-signature';
import { startServicesNats } from '@taskgraph/testkit/stack/nats';
import { expect, test } from 'vitest';
import { startReceiver } from './test/support/receiver.ts';

const SCRIPT = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Starts the service with these variables and no others. Resolves when it is ready. */
async function start(environment: Record<string, string>): Promise<{ child: ChildProcess; output: () => string }> {
  const child = fork(SCRIPT, [], {
    env: { PATH: process.env.PATH, ADMIN_PORT: '0', ...environment },
    silent: true,
    execArgv: [],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`the service ended: ${output}`);
    }),
  ]);
  return { child, output: () => output };
}

function sendTo(url: string): WebhookSend {
  const body = '{"type":"hook.ping"}';
  const signed = webhookHeaders({ id: 'msg_1', timestamp: 1_700_000_000, body }, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZI']);
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'Taskgraph' };
  const hookId = '01900000-0000-7000-8000-000000000001';
  return { hookId, url, headers, body, builtMs: Date.now(), timeoutMs: 15_000 };
}

test('[HOOK10] the service runs with NATS alone, and sends what jobs request', async () => {
  const nats = await startServicesNats();
  const { url: NATS_URL, user: NATS_USER, password: NATS_PASSWORD } = nats.login('hooks');
  let answerSlow = () => {};
  const receiver = await startReceiver((response, { url }) => {
    if (url === '/slow') answerSlow = () => void response.end();
    else response.writeHead(204).end();
  });
  const jobs = await connectBus({ ...nats.login('jobs'), name: 'jobs', log });
  const { send } = createWebhookRequester(jobs);
  const HOOKS_ALLOWED_HOSTS = `127.0.0.1:${receiver.port}`;
  const service = await start({ NATS_URL, NATS_USER, NATS_PASSWORD, HOOKS_ALLOWED_HOSTS });
  const base = `http://127.0.0.1:${receiver.port}`;
  expect(await send(sendTo(`${base}/in?key=secret`))).toMatchObject({ outcome: 'delivered', status: 204 });
  expect(receiver.requests).toMatchObject([{ path: '/in?key=secret', body: '{"type":"hook.ping"}' }]);

  // The port of NATS is on the same host, but not an allowed one.
  const forbidden = await send(sendTo(NATS_URL.replace('nats:', 'http:')));
  expect(forbidden).toEqual({ outcome: 'unreachable', durationMs: expect.any(Number) });
  expect('durationMs' in forbidden && forbidden.durationMs).toBeGreaterThanOrEqual(1_998);

  // A stopping service finishes what it has, and gets no more.
  const last = send(sendTo(`${base}/slow`));
  await expect.poll(() => receiver.requests.length).toBe(2);
  service.child.kill('SIGTERM');
  await expect.poll(() => send(sendTo(`${base}/in`))).toEqual({ outcome: 'absent' });
  answerSlow();
  expect(await last).toMatchObject({ outcome: 'delivered', status: 200 });
  const [code] = await once(service.child, 'exit');
  expect(code).toBe(0);
  expect(service.output()).toContain('"reason":"forbidden"');
  expect(service.output()).not.toMatch(/secret|NATS_PASSWORD/);

  await jobs.close();
  await receiver.close();
  await nats.remove();
});

test('[HOOK9] a setting that is not valid stops the start, and is named', async () => {
  const started = start({ NATS_URL: 'nats://127.0.0.1:1', HOOKS_ALLOWED_NETWORKS: 'everything' });
  await expect(started).rejects.toThrow('HOOKS_ALLOWED_NETWORKS is not valid');
});
