import { expect, test } from 'vitest';
import { createUserSlots } from './user-slots.ts';

test('[HOOK13] a user has four runs at once, and others are not affected', async () => {
  const slots = createUserSlots();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (user: string) =>
    slots.run(user, () => {
      begun.push(user);
      return new Promise<void>((resolve) => void ends.push(resolve));
    });
  const runs = Array.from({ length: 6 }, () => begin('ann'));
  runs.push(begin('bob'));
  expect(begun).toEqual(['ann', 'ann', 'ann', 'ann', 'bob']);
  for (const end of ends.splice(0)) end();
  await Promise.all(runs);
  void begin('ann');
  expect(begun).toHaveLength(6);
});
