// Taking imports back on the reference model: whole ones, those that stopped midway, and those that can't be.
import { expect, test } from 'vitest';
import { active, identity, many } from '../test/support/import-graphs.ts';
import { createModelService } from '../test/support/model-caller.ts';
import { runImport } from './run-import.ts';
import { takeBack } from './take-back.ts';

test('[IO4] all parts are taken back, however many; imported again the same nodes come back', async () => {
  const service = createModelService();
  const { ids } = await runImport(service.caller(), many, identity);
  expect(await takeBack(service.caller(), many, identity)).toEqual({ parts: 3, before: 0 });
  expect(active(service)).toBe(0);
  expect(await takeBack(service.caller(), many, identity)).toEqual({ parts: 0, before: 3 });
  const again = await runImport(service.caller(), many, identity);
  expect([again.there, again.ids]).toEqual([3, ids]);
  expect([active(service), [...service.content().links].length]).toEqual([many.nodes.length, many.links.length]);
});

test('[IO4] half an import is taken back, also where the other half was never made', async () => {
  const service = createModelService();
  service.breakAt(2, 'before');
  await expect(runImport(service.caller(), many, identity)).rejects.toThrow('lost');
  expect(await takeBack(service.caller(), many, identity)).toEqual({ parts: 1, before: 0 });
  expect(active(service)).toBe(0);
});

test('[IO4] an import that stopped at a part which the service refuses is taken back', async () => {
  const service = createModelService();
  const caller = service.caller();
  const { diff } = await caller.call('node:add', { title: 'above' });
  const under = String(diff.nodes[0]?.after.id);
  service.breakAt(3, 'before');
  await expect(runImport(caller, many, { ...identity, under })).rejects.toThrow('lost');
  // All that is left of the import is to hang below this.
  await caller.call('node:trash', { id: under });
  await expect(runImport(caller, many, { ...identity, under })).rejects.toMatchObject({ code: 'import.gone', done: 2 });
  expect(active(service)).toBeGreaterThan(5);
  expect(await takeBack(caller, many, { ...identity, under })).toEqual({ parts: 2, before: 0 });
  expect(active(service)).toBe(0);
});

test('[IO4] where a part was never made, nothing is made to find out', async () => {
  const service = createModelService();
  service.breakAt(3, 'before');
  await expect(runImport(service.caller(), many, identity)).rejects.toThrow('lost');
  const before = service.state().batches.length;
  expect(await takeBack(service.caller(), many, identity)).toEqual({ parts: 2, before: 0 });
  await expect(takeBack(service.caller(), many, { ...identity, again: 'x' })).rejects.toMatchObject({
    code: 'import.not_there',
  });
  // The two that were undone are all that history has since.
  expect(service.state().batches.length).toBe(before + 2);
});

test('[IO4 GEN8] where the service has forgotten the beginning, nothing is taken back or made, and it says so', async () => {
  const service = createModelService();
  await runImport(service.caller(), many, identity);
  const { keys } = service.state();
  service.forgetKeys();
  service.state().keys.push(...keys.filter(({ key }) => !key.endsWith(':0')));
  const before = service.state().batches.length;
  await expect(takeBack(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.changed' });
  await expect(runImport(service.caller(), many, { ...identity, known: 3 })).rejects.toMatchObject({
    code: 'import.forgotten',
  });
  expect([service.state().batches.length, active(service)]).toEqual([before, many.nodes.length]);
});

test.each([
  ['its end is there', 2, {}],
  ['all of it is forgotten, and the caller knows of it', 3, { known: 1 }],
])(
  '[IO4 GEN8] where more than the first part is forgotten, it says so and not that nothing was imported: %s',
  async (_, forgotten, known) => {
    const service = createModelService();
    await runImport(service.caller(), many, identity);
    const { keys } = service.state();
    service.forgetKeys();
    service.state().keys.push(...keys.filter(({ key }) => !(Number(key.split(':').at(-1)) < forgotten)));
    const taking = takeBack(service.caller(), many, { ...identity, ...known });
    await expect(taking).rejects.toMatchObject({ code: 'import.changed' });
    expect(active(service)).toBe(many.nodes.length);
  },
);

test('[IO4] half a taking back is ended by the next one', async () => {
  const service = createModelService();
  await runImport(service.caller(), many, identity);
  // Three parts are looked for and asked for, then undone.
  service.breakAt(8, 'before');
  await expect(takeBack(service.caller(), many, identity)).rejects.toThrow('lost');
  expect(await takeBack(service.caller(), many, identity)).toEqual({ parts: 2, before: 1 });
  expect(active(service)).toBe(0);
});

test('[IO4] what somebody has changed since is told, and nothing is taken back', async () => {
  const service = createModelService();
  const { ids } = await runImport(service.caller(), many, identity);
  await service.caller().call('node:update', { id: String(ids.get('3')), title: 'mine now' });
  await expect(takeBack(service.caller(), many, identity)).rejects.toMatchObject({
    code: 'import.conflict',
    cause: { code: 'version_conflict' },
  });
  expect(active(service)).toBe(many.nodes.length);
});

test('[IO4] a file that was never imported leaves nothing', async () => {
  const service = createModelService();
  await expect(takeBack(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.not_there' });
  expect(active(service)).toBe(0);
});
