// Requests to send messages of webhooks over a real NATS, with the users of the services.
import { randomUUID } from 'node:crypto';
import { type ServicesNats, startServicesNats } from '@taskgraph/testkit/stack/nats';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Bus, connectBus } from '../nats/connect.ts';
import { WEBHOOK_SEND_QUEUE, WEBHOOK_SEND_SUBJECT } from '../nats/subjects.ts';
import { createWebhookRequester, type ReceivedSend, serveWebhookSends, type WebhookSend } from './webhook-requests.ts';

const problems: string[] = [];
const quiet = () => undefined;
const problem = (fields: object, message: string) => void problems.push(`${message} ${JSON.stringify(fields)}`);
const log = { debug: quiet, info: quiet, warn: problem, error: problem };

let nats: ServicesNats;
let jobs: Bus;
let hooks: Bus;
beforeAll(async () => {
  nats = await startServicesNats();
  jobs = await connectBus({ ...nats.login('jobs'), name: 'jobs', log });
  hooks = await connectBus({ ...nats.login('hooks'), name: 'hooks', log });
});
afterAll(async () => {
  await Promise.all([jobs.close(), hooks.close()]);
  await nats.remove();
});
afterEach(() => expect(problems.splice(0)).toEqual([]));

function send(changes: Partial<WebhookSend> = {}): WebhookSend {
  return {
    hookId: '01900000-0000-7000-8000-000000000001',
    url: 'https://receiver.test/',
    headers: {
      'webhook-id': `msg_${randomUUID()}`,
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,aaaa v1,bbbb',
      'content-type': 'application/json',
      'user-agent': 'Taskgraph',
    },
    body: '{"title":"Grün"}',
    builtMs: Date.now(),
    timeoutMs: 1_000,
    ...changes,
  };
}

test('[HOOK10] without a hooks service the requester learns at once that nothing was sent', async () => {
  expect(await createWebhookRequester(jobs).send(send({ timeoutMs: 15_000 }))).toEqual({ outcome: 'absent' });
});

test('[HOOK10] one of the hooks services receives a request as it was sent, and jobs receive its answer', async () => {
  const received: ReceivedSend[] = [];
  const answer = { outcome: 'refused', status: 503, retryAfterMs: 7, durationMs: 3 } as const;
  const serve = () =>
    serveWebhookSends(hooks, async (request) => {
      received.push(request);
      return answer;
    });
  const servings = [serve(), serve()];
  await hooks.flush();
  const request = send({ body: JSON.stringify({ text: 'ü'.repeat(40_000) }) });
  expect(await createWebhookRequester(jobs).send(request)).toEqual(answer);
  expect(received).toHaveLength(1);
  const { ageMs, ...content } = received[0] ?? expect.fail('nothing was received');
  expect(content).toEqual(request);
  expect(ageMs()).toBeLessThan(60_000);
  await Promise.all(servings.map((serving) => serving.stop()));
});

test('[HOOK7] the age of a body counts from when it was built, and grows', async () => {
  const ages: number[] = [];
  const serving = serveWebhookSends(hooks, async ({ ageMs }) => {
    ages.push(ageMs());
    const startMs = performance.now();
    while (performance.now() === startMs);
    ages.push(ageMs());
    return { outcome: 'late', durationMs: 0 };
  });
  await hooks.flush();
  await createWebhookRequester(jobs).send(send({ builtMs: Date.now() - 5_000 }));
  const [first = 0, second = 0] = ages;
  expect(first).toBeGreaterThanOrEqual(5_000);
  expect(second).toBeGreaterThan(first);
  await serving.stop();
});

test.each([-7_200_000, 7_200_000])('[HOOK7] a requester whose clock is %i ms off is understood', async (offsetMs) => {
  const ages: number[] = [];
  const serving = serveWebhookSends(hooks, async ({ ageMs }) => {
    ages.push(ageMs());
    return { outcome: 'delivered', status: 200, durationMs: 1 };
  });
  await hooks.flush();
  const nowMs = () => Date.now() + offsetMs;
  const requester = createWebhookRequester(jobs, nowMs);
  // The first answer only asks for another request, which is not an attempt.
  expect(await requester.send(send({ builtMs: nowMs() }))).toEqual({ outcome: 'late', durationMs: 0 });
  expect(ages).toEqual([]);
  expect(await requester.send(send({ builtMs: nowMs() }))).toMatchObject({ outcome: 'delivered' });
  expect(await requester.send(send({ builtMs: nowMs() - 3_000 }))).toMatchObject({ outcome: 'delivered' });
  expect(ages[0]).toBeLessThan(1_000);
  expect(ages[1]).toBeGreaterThanOrEqual(2_900);
  await serving.stop();
});

test('[HOOK7] a question about the clock of one request waits for its next attempt, whatever others are answered', async () => {
  const asked: [string, string | null][] = [];
  const [one, other] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
  const subscription = hooks.connection.subscribe(WEBHOOK_SEND_SUBJECT, {
    queue: WEBHOOK_SEND_QUEUE,
    callback(_, message) {
      const { hookId, token } = message.json<{ hookId: string; token: string | null }>();
      asked.push([hookId, token]);
      const answer = hookId === one && token === null ? { outcome: 'late', token: 'a question' } : { outcome: 'busy' };
      message.respond(JSON.stringify({ ...answer, durationMs: 0 }));
    },
  });
  await hooks.flush();
  const requester = createWebhookRequester(jobs);
  for (const hookId of [one, other, one, one]) await requester.send(send({ hookId }));
  expect(asked).toEqual([
    [one, null],
    [other, null],
    [one, 'a question'],
    [one, null],
  ]);
  subscription.unsubscribe();
});

test('[HOOK10] if an answer is lost, the message counts as perhaps sent', async () => {
  let done = () => {};
  const serving = serveWebhookSends(hooks, async () => {
    await new Promise<void>((resolve) => {
      done = resolve;
    });
    return { outcome: 'delivered', status: 200, durationMs: 1 };
  });
  await hooks.flush();
  expect(await createWebhookRequester(jobs, Date.now, 100).send(send({ timeoutMs: 1 }))).toEqual({ outcome: 'silent' });
  done();
  await serving.stop();
});

test('[HOOK8 HOOK10] invalid requests are answered as such, and the log names fields without values', async () => {
  const serving = serveWebhookSends(hooks, async () => expect.fail('it must not be processed'));
  await hooks.flush();
  const invalid = [
    send({ url: 'https://me:secret@receiver.test/path' }),
    send({ body: 'x'.repeat(90_000) }),
    send({ timeoutMs: 60_000 }),
    { ...send(), headers: { ...send().headers, 'webhook-id': 'a\r\nx-injected: b' } },
    { ...send(), headers: { ...send().headers, cookie: 'a=b' } },
  ];
  const answer = { outcome: 'invalid', durationMs: 0 };
  for (const request of invalid) expect(await createWebhookRequester(jobs).send(request)).toEqual(answer);
  const reply = await jobs.connection.request(WEBHOOK_SEND_SUBJECT, 'no JSON', { timeout: 10_000 });
  expect(reply.json()).toEqual(answer);
  await serving.stop();
  const fields = ['url', 'body', 'timeoutMs', 'headers.webhook-id', 'headers'];
  expect(problems.splice(0)).toEqual([
    ...fields.map((field) => `an invalid request to send a message was received {"fields":["${field}"]}`),
    'a request to send a message is not JSON {}',
  ]);
});

test('[HOOK10] a request that names another subject for its answer is not answered there', async () => {
  const serving = serveWebhookSends(hooks, async () => ({ outcome: 'late', durationMs: 0 }));
  await hooks.flush();
  jobs.publish(WEBHOOK_SEND_SUBJECT, Buffer.from(JSON.stringify(send())), { reply: 'tg.control' });
  await jobs.flush();
  await hooks.flush();
  await serving.stop();
  expect(problems.splice(0)).toEqual([
    'a request to send a message names a reply subject outside of the inboxes {"reply":"tg.control"}',
  ]);
});
