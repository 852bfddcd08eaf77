// The receiver of a run, on loopback, and the states of webhooks at its end.
import { createHmac } from 'node:crypto';
import { randomFrom } from '@taskgraph/testkit/random';
import { expect, onTestFinished, test } from 'vitest';
import type { HookMessage } from '../../history/history.ts';
import { startHookReceiver } from './hook-receiver.ts';
import { busyWebhooks, disabledWebhooks, isPostponed, type WebhookState } from './webhook-states.ts';

const SECRET = `whsec_${Buffer.from('a secret').toString('base64')}`;
const BODY = JSON.stringify({ type: 'graph.changed', data: { events: [], feeds: { 'user:ann': [0, 1] } } });

async function openReceiver() {
  const receiver = await startHookReceiver(randomFrom(1));
  onTestFinished(() => receiver.close());
  receiver.acceptAll();
  const messages: HookMessage[] = [];
  return { receiver, messages, address: receiver.open(messages) };
}

function post(url: string, body: string, key = 'a secret'): Promise<Response> {
  const signature = createHmac('sha256', key).update(`msg_1.7.${body}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': '7', 'webhook-signature': `v1,x v1,${signature}` };
  return fetch(url, { method: 'POST', headers, body });
}

test('[HOOK4] a message that arrived before its secret is known is verified too', async () => {
  const { receiver, messages, address } = await openReceiver();
  await post(address.url, BODY);
  expect(messages.map(({ isSigned }) => isSigned)).toEqual([false]);
  address.expect(SECRET);
  await post(address.url, BODY);
  await post(address.url, BODY, 'another secret');
  expect(messages.map(({ isSigned }) => isSigned)).toEqual([true, true, false]);
  expect(messages[0]).toMatchObject({ id: 'msg_1', type: 'graph.changed', feeds: { 'user:ann': [0, 1] } });
  expect(receiver.anomalies).toEqual([]);
});

test('[HOOK4] what is no message is an anomaly, and the receiver continues', async () => {
  const { receiver, messages, address } = await openReceiver();
  const kinds = async (body: string, url = address.url) => {
    const { status } = await post(url, body);
    return [status, receiver.anomalies.at(-1)?.kind];
  };
  expect(await kinds('{"type":')).toEqual([400, 'a body is no message']);
  expect(await kinds('null')).toEqual([400, 'a body is no message']);
  expect(await kinds('{"type":"graph.changed"}')).toEqual([400, 'a body is no message']);
  expect(await kinds(BODY, `${address.url}9`)).toEqual([400, 'a message came to an unknown address']);
  await post(address.url, 'x'.repeat(300 * 1_024)).catch(() => undefined);
  expect(receiver.anomalies.at(-1)?.kind).toBe('a message is too long');
  expect((await post(address.url, BODY)).status).toBe(204);
  expect(messages).toHaveLength(1);
});

const state = (more: Partial<WebhookState>): WebhookState => ({
  state: 'active',
  reason: null,
  nextAttempt: null,
  ...more,
});
const inSeconds = (seconds: number) => state({ nextAttempt: new Date(seconds * 1_000).toISOString() });

test('[HOOK8] only a webhook whose next attempt is minutes away is enabled again', () => {
  expect(
    [inSeconds(300), inSeconds(72), inSeconds(-5), state({}), undefined].map((each) => isPostponed(each, 0)),
  ).toEqual([true, false, false, false, false]);
  // Otherwise a webhook that was disabled during the run would be active when it is judged.
  expect(isPostponed({ ...inSeconds(300), state: 'disabled' }, 0)).toBe(false);
});

test('[HOOK8 HOOK12] a webhook that is disabled, pending or not idle at the end is an anomaly', () => {
  const kinds = (each: WebhookState | undefined) =>
    [...disabledWebhooks([{ name: 'hook', state: each }]), ...busyWebhooks([{ name: 'hook', state: each }])].map(
      ({ kind }) => kind,
    );
  expect(kinds(state({}))).toEqual([]);
  expect(kinds(state({ state: 'disabled', reason: 'gone' }))).toContain('a webhook was disabled');
  expect(kinds(undefined)).toContain('a webhook was disabled');
  expect(kinds(state({ state: 'pending' }))).toEqual(['a webhook does not continue on its own']);
  expect(kinds(inSeconds(5))).toEqual(['a webhook does not continue on its own']);
});
