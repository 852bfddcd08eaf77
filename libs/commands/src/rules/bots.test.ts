// A bot: an actor with a maintainer, and with nothing but grants.
import { Level } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const bot = { ...bob, maintainer: cy.id };

test('[BOT1] a bot adds nodes below shared ones, which belong to the owner of their parent', () => {
  const scene = createScenario();
  const root = scene.node();
  scene.grant(root, bot, Level.EDITOR, { branch: true });
  const { error, diff } = scene.run('node:add', { title: 'a', target: root }, bot);
  expect([error, diff.actor]).toEqual([null, { username: bot.username, email: bot.email }]);
  const added = [...scene.nodes.values()].find(({ title }) => title === 'a');
  expect(added?.ownerId).toBe(ann.id);
});

test('[BOT1] a bot owns no nodes, also in a batch and in a dry run', () => {
  const scene = createScenario();
  const refused = { error: 'forbidden.target_required', changes: [] };
  expect(scene.run('node:add', { title: 'a' }, bot)).toMatchObject(refused);
  expect(scene.run('node:add', { title: 'a', dryRun: true }, bot)).toMatchObject(refused);
  const operations = [{ event: 'node:add', payload: { title: 'a' } }];
  expect(scene.run('batch:run', { operations }, bot)).toMatchObject({ ...refused, details: { index: 0 } });
  expect(scene.run('node:add', { title: 'a' }, bob).error).toBe(null);
});

test('[BOT1] a bot has no access to the nodes of its maintainer', () => {
  const scene = createScenario();
  const id = scene.node({ ownerId: cy.id });
  expect(scene.run('node:update', { id, title: 'b' }, bot)).toMatchObject({ error: 'forbidden' });
  expect(scene.level(id, bot)).toBe(null);
});
