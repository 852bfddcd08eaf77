import { refuse } from '@taskgraph/wire/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Identity } from './token.ts';
import { createWrongTokens } from './wrong-tokens.ts';

const HERE = '192.0.2.1';
const unauthorized = refuse('unauthorized', 'No.');
const away = refuse('unavailable', 'No worker answered in time.');
const user = { id: 'ann', username: 'ann', email: 'ann@example.com' };
const identity: Identity = { user, token: { id: 'a', kind: 'api', readOnly: false, expires: null } };
const wrong = async () => unauthorized;
const right = async () => identity;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

test('[LIM4] the bound holds for a minute, which begins with the first wrong token', async () => {
  const tokens = createWrongTokens(2);
  await tokens.within('a', HERE, wrong);
  later(59_000);
  await tokens.within('b', HERE, wrong);
  expect(await tokens.within('c', HERE, wrong)).toMatchObject({
    code: 'rate_limited',
    details: { retryAfterMs: 1_000 },
  });
  expect(await tokens.within('d', '192.0.2.2', wrong)).toBe(unauthorized);
  later(1_000);
  expect(await tokens.within('c', HERE, wrong)).toBe(unauthorized);
  expect(tokens.refused()).toBe(1);
});

test('[LIM4] concurrent tokens are counted before their look-up, and valid ones are subtracted', async () => {
  const tokens = createWrongTokens(2);
  const answers: ((found: Identity) => void)[] = [];
  const held = () => new Promise<Identity>((resolve) => answers.push(resolve));
  const both = [tokens.within('a', HERE, held), tokens.within('b', HERE, held)];
  expect(await tokens.within('c', HERE, right)).toMatchObject({
    code: 'rate_limited',
    details: { retryAfterMs: 1_000 },
  });
  for (const answer of answers) answer(identity);
  expect(await Promise.all(both)).toEqual([identity, identity]);
  expect(await tokens.within('c', HERE, right)).toBe(identity);
});

test('[GEN3 LIM4] a token whose look-up was refused or failed is not a wrong token', async () => {
  const tokens = createWrongTokens(1);
  for (let index = 0; index < 3; index++) {
    expect(await tokens.within('a', HERE, async () => away)).toBe(away);
    await expect(tokens.within('a', HERE, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  }
  expect(await tokens.within('a', HERE, right)).toBe(identity);
});

test('[AUTH2 LIM4] a token is known for five minutes after its last validation, and not after its end', async () => {
  const tokens = createWrongTokens(1);
  const besiege = () => tokens.within('z', HERE, wrong);
  await tokens.within('a', HERE, right);
  later(299_000);
  await besiege();
  expect(await tokens.within('a', HERE, right)).toBe(identity);
  later(299_000);
  await besiege();
  expect(await tokens.within('a', HERE, wrong)).toBe(unauthorized);
  expect(await tokens.within('a', HERE, right)).toMatchObject({ code: 'rate_limited' });
  later(60_000);
  await tokens.within('a', HERE, right);
  later(301_000);
  await besiege();
  expect(await tokens.within('a', HERE, right)).toMatchObject({ code: 'rate_limited' });
});

test('[ICAL2 LIM4] the address of a calendar is known for two weeks, because programs read rarely, each time from another gateway', async () => {
  const addresses = createWrongTokens(1, 'calendars');
  const hours = (count: number) => later(count * 3_600_000);
  const fortnight = 14 * 24;
  await addresses.within('a', HERE, right);
  hours(fortnight - 1);
  await addresses.within('z', HERE, wrong);
  expect(await addresses.within('a', HERE, right)).toBe(identity);
  hours(fortnight + 1);
  await addresses.within('z', HERE, wrong);
  expect(await addresses.within('a', HERE, right)).toMatchObject({
    code: 'rate_limited',
    details: { limit: 'calendars:wrong' },
  });
});
