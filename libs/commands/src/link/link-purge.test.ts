import { SYSTEM } from '@taskgraph/wire/actor';
import { LinkType, Op } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { ann, createScenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();
const [OLD, BEFORE, NEW] = ['2025-06-01T00:00:00.000Z', '2025-07-01T00:00:00.000Z', '2025-08-01T00:00:00.000Z'];

test('[LNK10] an old link is deleted permanently', () => {
  const scene = scenario();
  const id = scene.link(scene.node(), scene.node(), { inTrash: true, lastEditedTime: OLD });
  expect(scene.run('link:purge', { id, before: BEFORE }, SYSTEM).changes).toMatchObject([{ op: Op.LINK_DELETE, id }]);
});

test('[TRS3] a link that stays in the trash when its node is restored counts as trashed from then on', () => {
  const scene = scenario();
  const [child, parent] = [scene.node({ inTrash: true, lastEditedTime: OLD }), scene.node()];
  const marked = { inTrash: true, lastEditedTime: OLD, trashedWithNode: true };
  const [skipped, kept] = [scene.link(child, parent, marked), scene.link(child, scene.node(), marked)];
  expect(scene.run('link:trash', { id: kept }).error).toBe(null);
  // It prevents the restore of the other link.
  scene.link(child, parent, { type: LinkType.SECONDARY });
  expect(scene.run('node:restore', { id: child }).diff.skipped).toEqual([skipped]);
  for (const id of [skipped, kept]) {
    expect(scene.run('link:purge', { id, before: BEFORE }, SYSTEM)).toMatchObject({ error: null, changes: [] });
    const later = '2027-01-01T00:00:00.000Z';
    expect(scene.run('link:purge', { id, before: later }, SYSTEM).changes).toMatchObject([{ op: Op.LINK_DELETE, id }]);
  }
});

test('[TRS3 GEN9] links that were trashed with a node, recent links and active links stay', () => {
  const scene = scenario();
  const states = [
    { inTrash: true, lastEditedTime: OLD, trashedWithNode: true },
    { inTrash: true, lastEditedTime: NEW },
    { lastEditedTime: OLD },
    // Left in the trash when its node was restored.
    { inTrash: true, lastEditedTime: OLD, unmarkedTime: NEW },
  ];
  for (const state of states) {
    const id = scene.link(scene.node(), scene.node(), state);
    expect(scene.run('link:purge', { id, before: BEFORE }, SYSTEM)).toMatchObject({ error: null, changes: [] });
  }
  expect(scene.run('link:purge', { id: ann.id, before: BEFORE }, SYSTEM).error).toBe('not_found');
});
