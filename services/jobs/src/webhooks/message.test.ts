import { WEBHOOK_BODY_AGE_MS } from '@taskgraph/wire/bus/webhook-messages';
import { expect, test } from 'vitest';
import { builtMsOf } from './message.ts';

test.each([
  ['no grant ends', undefined, 0],
  ['a grant ends later than the body', WEBHOOK_BODY_AGE_MS, 0],
  ['a grant ends before', WEBHOOK_BODY_AGE_MS - 1, -1],
  ['a grant has ended', -5, -5 - WEBHOOK_BODY_AGE_MS],
])('[HOOK7] a body is too old at the end of a grant: %s', (_what, endMs, builtMs) => {
  const nowMs = Date.UTC(2026, 0, 1);
  const accessEnd = endMs === undefined ? undefined : new Date(nowMs + endMs).toISOString();
  expect(builtMsOf(nowMs, accessEnd) - nowMs).toBe(builtMs);
});
