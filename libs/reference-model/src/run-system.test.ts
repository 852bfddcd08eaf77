// The model's system commands follow the rules: short cases, derived by hand.
import { expect, test } from 'vitest';
import { ann, bob, cat, commandWorld } from './command-world.ts';
import type { ModelUser } from './state.ts';

const system: ModelUser = { id: 'system', username: 'system', email: '' };

test('[ACL5 GEN9] expired access ends and other access stays; without expired access there is no batch', () => {
  const w = commandWorld();
  const id = w.own(ann);
  w.done(ann, 'node:access', { id, email: bob.email, due: w.time(5) });
  w.done(ann, 'node:access', { id, email: cat.email, due: w.time(100) });
  expect(w.say(system, 'node:expire', { id })).toMatchObject({ body: { diff: { batchId: null } } });
  expect(w.grant(id, bob)).toBeDefined();
  expect(w.say(system, 'node:expire', { id })).toMatchObject({ body: { diff: { batchId: 'b5' } } });
  expect([w.grant(id, bob), w.grant(id, cat)?.version]).toEqual([undefined, 1]);
  expect([w.batch('b4'), w.batch('b5').event]).toEqual([undefined, 'node:expire']);
});

test('[ACL5 HIS1 HIS4] the system ends access in its own batch, and an undo cannot restore it', () => {
  const w = commandWorld();
  const id = w.own(ann);
  w.done(ann, 'node:access', { id, email: bob.email, due: w.time(4) });
  w.done(ann, 'node:publish', { id, due: w.time(4) });
  w.done(system, 'node:expire', { id });
  expect(w.grant(id, bob)).toBeUndefined();
  expect(w.node(id)).toMatchObject({ publicToken: null, publicDue: null });
  expect(w.batch('b4').ops.map(({ op }) => op)).toEqual([22, 6]);
  expect(w.batch('b4').actor).toEqual(system);
  expect(w.say(ann, 'batch:undo', { batchId: 'b4' })).toMatchObject({ error: 'conflict.expired' });
});

test('[NODE3 ACL5] a copy ends with its original, and not before it', () => {
  const w = commandWorld();
  const parent = w.own(ann);
  w.done(ann, 'node:access', { id: parent, email: bob.email, level: 2, branch: false, due: w.time(4) });
  const child = w.own(bob, { target: parent });
  w.done(system, 'node:expire', { id: child });
  expect(w.grant(child, bob)).toBeDefined();
  w.done(system, 'node:expire', { id: parent });
  expect([w.grant(parent, bob), w.grant(child, bob)]).toEqual([undefined, undefined]);
});

test('[TRS5 TRS3] old entities in the trash are deleted; a link that was trashed with a node waits for it', () => {
  const w = commandWorld();
  const [one, two] = [w.own(ann), w.own(ann)];
  const link = w.tie(ann, one, two);
  w.done(ann, 'node:trash', { id: one });
  for (const before of [w.time(4), w.time(5)]) w.done(system, 'link:purge', { id: link, before });
  w.done(system, 'node:purge', { id: one, before: w.time(4) });
  expect([w.node(one)?.inTrash, w.link(link)?.inTrash]).toEqual([true, true]);
  w.done(system, 'node:purge', { id: one, before: w.time(5) });
  expect([w.node(one), w.link(link)]).toEqual([undefined, undefined]);
  expect(w.say(system, 'node:purge', { id: one, before: w.time(5) })).toMatchObject({ error: 'not_found' });
});
