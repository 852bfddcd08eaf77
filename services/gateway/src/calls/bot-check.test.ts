import { expect, test } from 'vitest';
import { refuseNodesOfBot } from './bot-check.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const user = { id: ID, username: 'importer', email: 'importer-000000000001@bots.invalid' };
const bot = { ...user, maintainer: ID };

test('[BOT1] refuses nodes without a parent, also in a batch, from bots alone', () => {
  const own = { event: 'node:add', payload: { title: 'a' } };
  const below = { event: 'node:add', payload: { title: 'a', target: '$a' } };
  const refused = { code: 'forbidden.target_required' };
  expect(refuseNodesOfBot('node:add', own.payload, bot)).toMatchObject(refused);
  expect(refuseNodesOfBot('node:add', below.payload, bot)).toBe(null);
  expect(refuseNodesOfBot('node:update', { id: ID }, bot)).toBe(null);
  expect(refuseNodesOfBot('batch:run', { operations: [below, { event: 'node:add' }] }, bot)).toMatchObject({
    ...refused,
    details: { index: 1 },
  });
  expect(refuseNodesOfBot('batch:run', { operations: [below] }, bot)).toBe(null);
  expect(refuseNodesOfBot('batch:run', { operations: [own] }, user)).toBe(null);
  expect(refuseNodesOfBot('node:add', own.payload, user)).toBe(null);
});
