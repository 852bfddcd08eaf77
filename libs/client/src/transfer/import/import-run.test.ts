// Imports into the reference model: round trips, and continuing after a failure.
import { bob } from '@taskgraph/reference-model/small-world';
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { active, chainOf, identity, many } from '../../test/support/import-graphs.ts';
import { createModelService } from '../../test/support/model-caller.ts';
import { readFile, writeFile } from '../formats.ts';
import { exportGraph } from '../graph/graph-content.ts';
import { PART_OPERATIONS, partsOf } from './import-parts.ts';
import { runImport } from './import-run.ts';
import { undoImport } from './import-undo.ts';
import { importName } from './part-sender.ts';

const text = (most: number) => fc.string({ maxLength: most, unit: 'binary' }).filter((each) => !each.includes('\0'));
const node = fc.record({
  title: text(40),
  description: text(60),
  status: fc.constantFrom(0, 1, 3),
  dueDate: fc.option(
    fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  tags: fc.uniqueArray(text(20), { maxLength: 3 }),
  assignee: fc.array(text(20), { maxLength: 3 }),
  priority: fc.nat(1_000_000),
  volume: fc.nat(1_000_000),
  independent: fc.boolean(),
  pinned: fc.boolean(),
  collapsed: fc.boolean(),
  x: fc.double({ noNaN: true, noDefaultInfinity: true }),
  y: fc.integer(),
  z: fc.constant(0),
});
/** Links lead to later nodes, so that there are no cycles. */
const graph = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 8 }),
  links: fc.array(
    fc.record({
      from: fc.nat(7),
      to: fc.nat(7),
      type: fc.constantFrom(0, 1),
      hidden: fc.boolean(),
      turns: fc.boolean(),
    }),
    { maxLength: 14 },
  ),
});

type Drawn = typeof graph extends fc.Arbitrary<infer G> ? G : never;

/** Creates the graph command by command. The service refuses some of its links. */
async function drawnOn(service: ReturnType<typeof createModelService>, { nodes, links }: Drawn): Promise<void> {
  const caller = service.caller();
  const ids: string[] = [];
  for (const fields of nodes) {
    const { diff } = await caller.call('node:add', { ...fields, independent: false });
    ids.push(String(diff.nodes[0]?.after.id));
  }
  for (const { from, to, type, hidden, turns } of links) {
    const [source, target] = [ids[Math.min(from, to)], ids[Math.max(from, to)]];
    if (source === undefined || target === undefined || source === target) continue;
    const ends = turns && type === 1 ? { source: target, target: source } : { source, target };
    await caller.call('link:add', { ...ends, type, private: hidden }).catch(() => undefined);
  }
  // A link keeps blocking when its target becomes independent.
  for (const [index, { independent }] of nodes.entries()) {
    if (independent) await caller.call('node:update', { id: String(ids[index]), independent });
  }
}

function fileOf(service: ReturnType<typeof createModelService>, user = undefined as typeof bob | undefined): string {
  const whole = exportGraph(service.content(user));
  return writeFile(whole, 'taskgraph', { now: '', ids: whole.ids }).text;
}

test('[IO3] export, import and export again give the same file, byte for byte', async () => {
  const property = fc.asyncProperty(graph, async (drawn) => {
    const service = createModelService();
    await drawnOn(service, drawn);
    const first = fileOf(service);
    const read = readFile(first, 'taskgraph');
    expect(read.leftOut).toEqual([]);
    await runImport(service.caller(bob), read, { file: first, format: 'taskgraph' });
    expect(fileOf(service, bob)).toBe(first);
  });
  await fc.assert(property, { numRuns: runs(60) });
});

test.each(['before', 'after'] as const)(
  '[IO1] an import that loses its connection %s a part is stored continues, and creates nothing twice',
  async (when) => {
    const service = createModelService();
    service.breakAt(2, when);
    await expect(runImport(service.caller(), many, identity)).rejects.toMatchObject({ code: 'client.disconnected' });
    const report = await runImport(service.caller(), many, identity);
    expect(report).toMatchObject({ nodes: many.nodes.length, parts: 3, there: when === 'before' ? 1 : 2 });
    expect([active(service), [...service.content().links].length]).toEqual([many.nodes.length, many.links.length]);
    expect((await runImport(service.caller(), many, identity)).there).toBe(3);
    expect(active(service)).toBe(many.nodes.length);
  },
);

test('[IO1] another file, label or user makes another import, and the same one does not', async () => {
  const names = await Promise.all(
    [
      identity,
      { ...identity, file: new TextEncoder().encode('a file') },
      { ...identity, file: 'b' },
      { ...identity, again: 'x' },
      { ...identity, under: 'x' },
      { ...identity, format: 'x' },
    ].map(importName),
  );
  expect(new Set(names).size).toBe(5);
  expect(names[0]).toBe(names[1]);
  const service = createModelService();
  const small = chainOf(2);
  await runImport(service.caller(), small, identity);
  await runImport(service.caller(), small, { ...identity, again: 'twice' });
  await runImport(service.caller(bob), small, identity);
  expect([active(service), [...service.content(bob).nodes].length]).toEqual([4, 2]);
});

test('[IO1 GEN8] if the service has forgotten the keys of known parts, nothing is created twice', async () => {
  const service = createModelService();
  await runImport(service.caller(), many, identity);
  service.forgetKeys();
  await expect(runImport(service.caller(), many, { ...identity, known: 3 })).rejects.toMatchObject({
    code: 'import.forgotten',
  });
  expect(active(service)).toBe(many.nodes.length);
});

test('[IO1 GEN8] if the service has forgotten only the beginning, the import fails', async () => {
  const service = createModelService();
  await runImport(service.caller(), many, identity);
  const { keys } = service.state();
  service.forgetKeys();
  service.state().keys.push(...keys.filter(({ key }) => !key.endsWith(':0')));
  await expect(runImport(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.changed', done: 1 });
});

test('[IO1 IO4] if a task that later parts need was deleted permanently, the import fails', async () => {
  const service = createModelService();
  service.breakAt(2, 'before');
  await expect(runImport(service.caller(), many, identity)).rejects.toThrow('lost');
  const [node] = [...service.content().nodes].filter(({ title }) => title === 'Task 3');
  await service.caller().call('node:trash', { id: String(node?.id) });
  await service.caller().call('node:delete', { id: String(node?.id) });
  await expect(runImport(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.gone' });
  await expect(undoImport(service.caller(), many, identity)).rejects.toMatchObject({ code: 'import.conflict' });
  expect(active(service)).toBe(3);
});

test('[IO1] sources come before their targets, in parts that fit one call', () => {
  for (const whole of [many, chainOf(PART_OPERATIONS + 20)]) {
    const parts = partsOf(whole, { under: true });
    const made = new Set<string>();
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(PART_OPERATIONS);
      expect(new TextEncoder().encode(JSON.stringify(part)).length).toBeLessThan(256 * 1024);
      for (const operation of part) {
        if (operation.event === 'node:add') made.add(operation.key);
        if (operation.event === 'link:add') expect(made.has(operation.source)).toBe(true);
      }
    }
    expect(made.size).toBe(whole.nodes.length);
  }
});

test('[IO1] with a parent, it is the target of all nodes without outgoing links, whatever keys they have', async () => {
  const service = createModelService();
  const caller = service.caller();
  const { diff } = await caller.call('node:add', { title: 'above' });
  const under = String(diff.nodes[0]?.after.id);
  const file = JSON.stringify({ taskgraph: 1, nodes: [{ key: 'Symbol(under)' }, { key: under }], links: [] });
  const { ids } = await runImport(caller, readFile(file, 'taskgraph'), { ...identity, under });
  expect([...ids.keys()]).toEqual(['Symbol(under)', under]);
  const links = [...service.content().links].map(({ source, target }) => [source, target]);
  expect(links.sort()).toEqual([...ids.values()].map((id) => [id, under]).sort());
});
