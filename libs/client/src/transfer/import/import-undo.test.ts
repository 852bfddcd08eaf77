// Undo of imports on the reference model: complete imports, interrupted ones, and refusals.
import { expect, test } from 'vitest';
import { active, identity, many } from '../../test/support/import-graphs.ts';
import { createModelService } from '../../test/support/model-caller.ts';
import { runImport } from './import-run.ts';
import { undoImport } from './import-undo.ts';

test('[IO4] all parts are undone, and importing again restores the same nodes', async () => {
  const service = createModelService();
  const { ids } = await runImport(service.caller(), many, identity);
  expect(await undoImport(service.caller(), many, identity)).toEqual({ parts: 3, before: 0 });
  expect(active(service)).toBe(0);
  expect(await undoImport(service.caller(), many, identity)).toEqual({ parts: 0, before: 3 });
  const again = await runImport(service.caller(), many, identity);
  expect([again.there, again.ids]).toEqual([3, ids]);
  expect([active(service), [...service.content().links].length]).toEqual([many.nodes.length, many.links.length]);
});

test('[IO4] half an import is undone, also if the other half was never created', async () => {
  const service = createModelService();
  service.breakAt(2, 'before');
  await expect(runImport(service.caller(), many, identity)).rejects.toThrow('lost');
  expect(await undoImport(service.caller(), many, identity)).toEqual({ parts: 1, before: 0 });
  expect(active(service)).toBe(0);
});

test('[IO4] an import that stopped at a part that the service refuses is undone', async () => {
  const service = createModelService();
  const caller = service.caller();
  const { diff } = await caller.call('node:add', { title: 'above' });
  const under = String(diff.nodes[0]?.after.id);
  service.breakAt(3, 'before');
  await expect(runImport(caller, many, { ...identity, under })).rejects.toThrow('lost');
  // The remaining parts link to this node.
  await caller.call('node:trash', { id: under });
  await expect(runImport(caller, many, { ...identity, under })).rejects.toMatchObject({ code: 'import.gone', done: 2 });
  expect(active(service)).toBeGreaterThan(5);
  expect(await undoImport(caller, many, { ...identity, under })).toEqual({ parts: 2, before: 0 });
  expect(active(service)).toBe(0);
});

test('[IO4] finding out that a part is missing creates nothing', async () => {
  const service = createModelService();
  service.breakAt(3, 'before');
  await expect(runImport(service.caller(), many, identity)).rejects.toThrow('lost');
  const before = service.state().batches.length;
  expect(await undoImport(service.caller(), many, identity)).toEqual({ parts: 2, before: 0 });
  await expect(undoImport(service.caller(), many, { ...identity, again: 'x' })).rejects.toMatchObject({
    code: 'import.not_there',
  });
  // Since then, history has only the two undos.
  expect(service.state().batches.length).toBe(before + 2);
});

test('[IO4 GEN8] if the service has forgotten the beginning, the undo fails and changes nothing', async () => {
  const service = createModelService();
  await runImport(service.caller(), many, identity);
  const { keys } = service.state();
  service.forgetKeys();
  service.state().keys.push(...keys.filter(({ key }) => !key.endsWith(':0')));
  const before = service.state().batches.length;
  await expect(undoImport(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.changed' });
  await expect(runImport(service.caller(), many, { ...identity, known: 3 })).rejects.toMatchObject({
    code: 'import.forgotten',
  });
  expect([service.state().batches.length, active(service)]).toEqual([before, many.nodes.length]);
});

test.each([
  ['the last part is known', 2, {}],
  ['all parts are forgotten, and the caller knows one', 3, { known: 1 }],
])(
  '[IO4 GEN8] if more than the first part is forgotten, the undo does not claim that nothing was imported: %s',
  async (_, forgotten, known) => {
    const service = createModelService();
    await runImport(service.caller(), many, identity);
    const { keys } = service.state();
    service.forgetKeys();
    service.state().keys.push(...keys.filter(({ key }) => !(Number(key.split(':').at(-1)) < forgotten)));
    const undo = undoImport(service.caller(), many, { ...identity, ...known });
    await expect(undo).rejects.toMatchObject({ code: 'import.changed' });
    expect(active(service)).toBe(many.nodes.length);
  },
);

test('[IO4] an interrupted undo is completed by the next one', async () => {
  const service = createModelService();
  await runImport(service.caller(), many, identity);
  // Six calls find the three parts; the next ones undo them.
  service.breakAt(8, 'before');
  await expect(undoImport(service.caller(), many, identity)).rejects.toThrow('lost');
  expect(await undoImport(service.caller(), many, identity)).toEqual({ parts: 2, before: 1 });
  expect(active(service)).toBe(0);
});

test('[IO4] if a node was changed since, the undo fails and changes nothing', async () => {
  const service = createModelService();
  const { ids } = await runImport(service.caller(), many, identity);
  await service.caller().call('node:update', { id: String(ids.get('3')), title: 'mine now' });
  await expect(undoImport(service.caller(), many, identity)).rejects.toMatchObject({
    code: 'import.conflict',
    cause: { code: 'version_conflict' },
  });
  expect(active(service)).toBe(many.nodes.length);
});

test('[IO4] the undo of a file that was never imported fails and creates nothing', async () => {
  const service = createModelService();
  await expect(undoImport(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.not_there' });
  expect(active(service)).toBe(0);
});
