import { SYSTEM } from '@taskgraph/wire/actor';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { ann, bob, createScenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();
const [OLD, BEFORE, NEW] = ['2025-06-01T00:00:00.000Z', '2025-07-01T00:00:00.000Z', '2025-08-01T00:00:00.000Z'];

test('[TRS5] an old node is deleted with its links and grants, as by its owner', () => {
  const scene = scenario();
  const [id, other] = [scene.node({ inTrash: true, lastEditedTime: OLD }), scene.node()];
  const link = scene.link(id, other, { type: LinkType.SECONDARY, inTrash: true, trashedWithNode: true });
  scene.grant(id, bob, Level.VIEWER);
  const { changes } = scene.run('node:purge', { id, before: BEFORE }, SYSTEM);
  expect(changes).toMatchObject([
    { op: Op.LINK_DELETE, id: link },
    { op: Op.GRANT_DELETE, id, effect: true },
    { op: Op.NODE_DELETE, id },
  ]);
  expect(scene.nodes.has(other)).toBe(true);
});

test('[TRS5 GEN9] a node that was restored, or trashed since, stays, and nothing is stored', () => {
  const scene = scenario();
  for (const fields of [
    { inTrash: true, lastEditedTime: NEW },
    { inTrash: true, lastEditedTime: BEFORE },
    { lastEditedTime: OLD },
  ]) {
    const id = scene.node(fields);
    expect(scene.run('node:purge', { id, before: BEFORE }, SYSTEM)).toMatchObject({ error: null, changes: [] });
  }
  expect(scene.run('node:purge', { id: ann.id, before: BEFORE }, SYSTEM).error).toBe('not_found');
});
