import { createHmac, randomBytes } from 'node:crypto';
import { expect, expectTypeOf, test } from 'vitest';
import { InvalidHookError, verifyHook } from './hooks.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const BODY = '{"type":"hook.ping","timestamp":"2026-12-01T08:00:00.000Z","data":{"hook":"ü"}}';

/** The headers that the service sends, signed with these secrets. */
function headersOf(body: string, secrets: readonly string[], secondsAgo = 0) {
  const id = 'msg_1';
  const timestamp = String(Math.floor(Date.now() / 1_000) - secondsAgo);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

test('[HOOK14] a message is accepted as text or bytes, with the headers of Node or of fetch', () => {
  const secret = newSecret();
  const headers = headersOf(BODY, [secret]);
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)]) {
    for (const each of [headers, lists, new Headers(headers)]) {
      expect(verifyHook(body, each, secret)).toEqual(JSON.parse(BODY));
    }
  }
});

test('[HOOK14] the type of a message tells its content', () => {
  const secret = newSecret();
  const event = { type: 'node.completed', id: 'a' };
  const body = JSON.stringify({ type: 'graph.changed', data: { hook: 'b', events: [event], feeds: {}, batches: [] } });
  const message = verifyHook(body, headersOf(body, [secret]), secret);
  const events = message.type === 'graph.changed' ? message.data.events : [];
  expectTypeOf(events[0]?.id).toEqualTypeOf<string | undefined>();
  expect(events).toEqual([event]);
});

test('[HOOK11] during a rotation, receivers with either secret accept a message', () => {
  const [former, present] = [newSecret(), newSecret()];
  const headers = headersOf(BODY, [present, former]);
  for (const secret of [former, present, [newSecret(), former]]) {
    expect(verifyHook(BODY, headers, secret)).toMatchObject({ type: 'hook.ping' });
  }
});

const secret = newSecret();
const valid = headersOf(BODY, [secret]);
test.each([
  ['another body', BODY.replace('ping', 'pong'), valid, secret],
  ['another secret', BODY, valid, newSecret()],
  ['no secret', BODY, valid, []],
  ['a text that is no secret', BODY, valid, 'whsec_?'],
  ['another id', BODY, { ...valid, 'webhook-id': 'msg_2' }, secret],
  ['another time', BODY, { ...valid, 'webhook-timestamp': `${Number(valid['webhook-timestamp']) + 1}` }, secret],
  ['no signature', BODY, { ...valid, 'webhook-signature': undefined }, secret],
  ['no headers', BODY, {}, secret],
  ['a time before ten minutes', BODY, headersOf(BODY, [secret], 600), secret],
  ['a time in ten minutes', BODY, headersOf(BODY, [secret], -600), secret],
])('[HOOK14] a message with %s is rejected', (_, body, headers, key) => {
  expect(() => verifyHook(body, headers, key)).toThrow(InvalidHookError);
});
