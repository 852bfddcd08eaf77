// Registrations and identities of providers, by the handlers that workers answer with, on a real database.
import type { Database } from '@taskgraph/graph-store/database';
import { ensureUser } from '@taskgraph/graph-store/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeUser, newId, openTestDatabase, startTestWorker, warmUp } from '../harness.testing.ts';
import { HASH, NOW, operations } from './operations.testing.ts';

let database: Database;
let { ask, done, read, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, read, setClock } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

describe('registrations', () => {
  const expires = new Date(NOW + 3_600_000).toISOString();
  const registration = (email: string) => ({ id: newId(0), email, username: 'eve', passwordHash: HASH, expires });

  test('[AUTH1] verifying may be asked again, gives one user, and no second one by another link', async () => {
    const email = `eve-${newId(0)}@example.com`;
    const [one, other] = [registration(email), registration(email)];
    for (const each of [one, other]) expect(await done('account:register', each)).toEqual({ known: false });
    const asked = { id: one.id, email, userId: newId(7) };
    const answers = await Promise.all([ask('account:verify', asked), ask('account:verify', asked)]);
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: true, body: { user: { id: asked.userId, email } } });
    const late = await ask('account:verify', { id: other.id, email, userId: newId(8) });
    expect(late).toMatchObject({ error: 'not_found' });
    expect(await done('account:register', registration(email))).toEqual({ known: true });
    setClock(3_600_000);
    const expired = registration(`late-${email}`);
    await done('account:register', expired);
    expect(await ask('account:verify', { id: expired.id, email: expired.email, userId: newId(0) })).toMatchObject({
      error: 'not_found',
    });
    setClock(0);
  });

  test('[AUTH1] a link gives no password to an account that has come meanwhile', async () => {
    const email = `met-${newId(0)}@example.com`;
    const waiting = registration(email);
    await done('account:register', waiting);
    await ensureUser(database, { id: newId(9), email, username: 'met', now: new Date(NOW).toISOString() });
    const verified = await ask('account:verify', { id: waiting.id, email, userId: newId(0) });
    expect(verified).toMatchObject({ error: 'conflict.registered' });
    expect(await done('account:find', { email })).toMatchObject({ account: { salt: null } });
  });

  test('[ACL4 AUTH1] verifying meets grants to the same e-mail: every grant shows, whichever comes first', async () => {
    const worker = startTestWorker(database);
    const owner = await makeUser(database, 'owner');
    for (let round = 0; round < 3; round++) {
      const email = `race-${newId(0)}@example.com`;
      const waiting = registration(email);
      await done('account:register', waiting);
      const made = await Promise.all([1, 2, 3, 4].map(() => worker.run(owner, 'node:add', {})));
      const nodes = made.map(({ nodes: [entry] }) => String(entry?.after.id));
      const userId = newId(Math.floor(Math.random() * 4_096));
      const grants = nodes.map((id) => worker.send(owner, 'node:access', { id, email, level: 3, branch: true }));
      const [verified, ...granted] = await Promise.all([
        ask('account:verify', { id: waiting.id, email, userId }),
        ...grants,
      ]);
      expect(verified).toMatchObject({ ok: true });
      for (const reply of granted) expect(reply).toMatchObject({ ok: true });
      const graph = await read('graph:get', {}, { id: userId, email, username: 'eve' });
      const seen = (graph.nodes as { id: string }[]).map(({ id }) => id);
      expect(seen).toEqual(nodes.toSorted());
    }
  });
});

test('[AUTH1] a provider’s identity stays with its user, and makes none where none may be made', async () => {
  const name = newId(0);
  const asked = {
    id: newId(3),
    issuer: 'https://id.example.com',
    subject: name,
    email: `${name}@example.com`,
    username: 'eve',
  };
  expect(await ask('account:vouch', { ...asked, mayRegister: false })).toMatchObject({
    error: 'forbidden.registration_off',
  });
  const twice = await Promise.all(
    [1, 2].map((slot) => done('account:vouch', { ...asked, id: newId(slot), mayRegister: true })),
  );
  expect(twice[1]).toEqual(twice[0]);
  const moved = { ...asked, email: `moved-${asked.email}`, mayRegister: false };
  expect(await done('account:vouch', moved)).toEqual(twice[0]);
  const another = { ...asked, subject: 'another', mayRegister: true };
  expect(await ask('account:vouch', another)).toMatchObject({ error: 'forbidden.identity' });
  const elsewhere = { ...another, issuer: 'https://other.example.com' };
  expect(await done('account:vouch', elsewhere)).toEqual(twice[0]);
});
