// Password hashing under load by unknown callers: known callers have a share of their own.
import { isRefusal } from '@taskgraph/wire/errors';
import { expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

/**
 * The bound on waiting calls: enough that all of them take longer than one, even on a busy machine.
 */
const WAITING = 24;
const GUESS = 'a guess of a stranger';

it('[AUTH4] many concurrent strangers do not block known users, and wait for each other', async () => {
  const passwords = createPasswords(WAITING);
  let done = 0;
  const guesses = Array.from({ length: 50 }, async () => {
    const outcome = await passwords.key(null, GUESS, false);
    if (!isRefusal(outcome)) done++;
    return outcome;
  });
  const known = await passwords.key(null, 'the password of somebody known', true);
  const doneBefore = done;
  const changed = await passwords.hash('the next password of somebody with a session');
  const outcomes = await Promise.all(guesses);
  expect(known).toBeInstanceOf(Buffer);
  expect(changed).toMatch(/^\$argon2id\$/);
  // Two run at once and this many wait; the others are refused.
  expect(done).toBe(WAITING + 2);
  expect(outcomes.filter(isRefusal).map(({ code }) => code)).toEqual(Array(48 - WAITING).fill('unavailable'));
  expect(doneBefore).toBeLessThan(done);
});
