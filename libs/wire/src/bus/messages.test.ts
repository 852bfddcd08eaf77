// During an upgrade two successive releases run together. Each accepts the other's messages and
// ignores unknown fields.
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ACCOUNT_MESSAGES } from './account-messages.ts';
import { commandMessage, readMessage, replyMessage } from './calls.ts';
import { expirationsMessage } from './expirations.ts';
import { controlMessage, slicesMessage } from './feed-messages.ts';
import { resolvedTokens } from './gateway-reads.ts';

const id = '01900000-0000-7000-8000-000000000001';
const actor = { id, username: 'ann', email: 'ann@example.com' };
const call = { event: 'node:add', payload: {}, deadline: 1, traceId: 't' };
const token = { id, kind: 'api', readOnly: false, expires: null };

const MESSAGES: readonly [string, z.ZodType, object][] = [
  ['a command', commandMessage, { ...call, id, actor, key: null }],
  ['a read', readMessage, { ...call, actor }],
  ['an answer', replyMessage, { ok: true, body: {} }],
  ['a refusal', replyMessage, { ok: false, error: 'not_found', message: 'There is no such node.' }],
  ['slices', slicesMessage, { slices: [{ feed: 'user:1', epoch: 1, seq: 2, diff: {} }] }],
  ['a control message', controlMessage, { readers: [], feeds: [{ feed: 'user:1', epoch: 2 }] }],
  ['ends', expirationsMessage, { dues: [{ nodeId: id, due: '2030-01-01T00:00:00.000Z' }] }],
  ['the owners of tokens', resolvedTokens, { identities: [{ hash: 'h', user: actor, token }] }],
  ['an account operation', ACCOUNT_MESSAGES['account:find'].payload, { email: 'ann@example.com' }],
];

/** The value with an unknown field in every object that has a fixed form. */
function nextRelease(value: unknown, free = false): unknown {
  if (Array.isArray(value)) return value.map((each) => nextRelease(each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, nextRelease(each, FREE.has(name))]);
  return { ...Object.fromEntries(entries), ...(free ? {} : { ofTheNextRelease: true }) };
}

/** Fields of free form. Clients' payloads have closed schemas of their own. */
const FREE = new Set(['payload', 'body', 'diff']);

test.each(MESSAGES)('%s of the next release is accepted without its unknown fields', (_name, schema, message) => {
  expect(schema.parse(message)).toEqual(message);
  expect(nextRelease(message)).not.toEqual(message);
  expect(schema.parse(nextRelease(message))).toEqual(message);
});

test.each(MESSAGES)('%s without a required field is refused', (_name, schema, message) => {
  const { [Object.keys(message)[0] as keyof typeof message]: _gone, ...rest } = message;
  expect(schema.safeParse({ ...(rest as object), ofTheNextRelease: true }).success).toBe(false);
});

test.each(Object.entries(ACCOUNT_MESSAGES))('the payload of %s may have unknown fields', (_event, { payload }) => {
  const { error } = (payload as z.ZodType).safeParse({ ofTheNextRelease: true });
  expect((error?.issues ?? []).map(({ code }) => code)).not.toContain('unrecognized_keys');
});
