// One command, or one key, on two workers at once, with a forced order.

import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { slotOf } from '@taskgraph/wire/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, openTestDatabase } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';
import {
  command,
  expectBroken,
  expectKept,
  type Race,
  run,
  withoutLocks,
  withoutLocksAndConstraint,
  withoutLookUp,
} from './support/race.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

/** The titles of a user's nodes: the executed commands and how often each ran. */
async function titlesOf({ id }: ActingUser): Promise<unknown[]> {
  const rows = await database.read('MATCH (n:Node {ownerId: $id}) RETURN n.title AS title ORDER BY title', { id });
  return rows.map(({ title }) => title);
}

/**
 * Two protections: the unique key of a batch, and its look-up after the locks. Without locks the
 * second write violates the constraint, rolls back, retries and finds the batch: one more attempt,
 * and the same outcome. Without the look-up no attempt finds it. Without locks and constraint both
 * commit.
 */
async function expectKeyNeeded(race: Race): Promise<void> {
  await expectKept(database, race);
  expect(await run(database, race, 'one', withoutLocks)).toEqual({ violations: [], held: false });
  await expectBroken(database, race, { without: withoutLookUp });
  await expectBroken(database, race, { without: withoutLocksAndConstraint });
}

test('[GEN8] two workers receive a command with one id', () =>
  expectKeyNeeded({
    async prepare(cast) {
      const ann = await cast.user('ann');
      const send = command(ann, 'node:add', { title: 'once' }, { id: newId(slotOf(ann.id)) });
      return {
        one: send,
        other: send,
        async look({ one, other }) {
          const titles = await titlesOf(ann);
          const alike = JSON.stringify(one) === JSON.stringify(other);
          return { state: { titles, alike }, broken: !alike };
        },
      };
    },
    oneFirst: { one: 'ok', other: 'ok', titles: ['once'], alike: true },
    otherFirst: { one: 'ok', other: 'ok', titles: ['once'], alike: true },
    fault: 'one command was answered in two ways',
  }));

test('[GEN8] two workers receive one idempotency key with two bodies', () =>
  expectKeyNeeded({
    async prepare(cast) {
      const ann = await cast.user('ann');
      return {
        one: command(ann, 'node:add', { title: 'left' }, { key: 'key' }),
        other: command(ann, 'node:add', { title: 'right' }, { key: 'key' }),
        async look({ one, other }) {
          const refused = [one, other].some((reply) => !reply.ok && reply.error === 'conflict.idempotency_key');
          return { state: { titles: await titlesOf(ann) }, broken: !refused };
        },
      };
    },
    oneFirst: { one: 'ok', other: 'conflict.idempotency_key', titles: ['left'] },
    otherFirst: { one: 'conflict.idempotency_key', other: 'ok', titles: ['right'] },
    fault: 'neither body was refused for the key',
  }));
