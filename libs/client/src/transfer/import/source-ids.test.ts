// The ids by which later files find tasks, in files of formats with and without ids of their own.
import { expect, test } from 'vitest';
import type { ImportFormat } from '../formats.ts';
import { readFile } from '../formats.ts';
import { baseOf, changedSince, rebased } from './field-hashes.ts';
import { sourceIdsOf } from './source-ids.ts';
import { sourceNameOf } from './source-name.ts';

/** The ids of the tasks of a text by their titles; of several with one title, the last one. */
function idsOf(text: string, format: ImportFormat, known?: ReadonlySet<string>) {
  const graph = readFile(text, format);
  const ids = sourceIdsOf(graph, format, known);
  const byTitle = new Map(graph.nodes.map(({ key, title }) => [title, ids.byKey.get(key)]));
  return { ...ids, byTitle };
}

test('[IO12] ids of the program find a task whatever its title and place', () => {
  const issue = (id: string, title: string) => JSON.stringify({ id, title });
  const { byTitle } = idsOf([issue('p-1', 'One'), issue('p-2', 'Two')].join('\n'), 'beads');
  const later = idsOf([issue('p-2', 'Second'), issue('p-1', 'First')].join('\n'), 'beads');
  expect([later.byTitle.get('First'), later.byTitle.get('Second')]).toEqual([byTitle.get('One'), byTitle.get('Two')]);
  expect(idsOf('id,title\n7,One\n', 'csv').byTitle.get('One')).toBe('7');
});

test('[IO12] without ids a title finds a task, also at another place of the file', () => {
  const first = idsOf('# A\n\n- [ ] One\n- [ ] Two\n', 'markdown');
  const later = idsOf('# A\n\n- [ ] Two\n\n# B\n\n- [ ] One\n', 'markdown');
  for (const title of ['One', 'Two', 'A']) expect(later.byTitle.get(title)).toBe(first.byTitle.get(title));
  expect(later.unmatched).toEqual([]);
});

test('[IO12] titles above distinguish equal titles, and equal places are not matched', () => {
  const text = '# A\n\n- [ ] Same\n\n# B\n\n- [ ] Same\n- [ ] Twice\n- [ ] Twice\n';
  const { byKey, unmatched, ambiguous } = idsOf(text, 'markdown');
  expect(new Set(byKey.values()).size).toBe(4);
  expect(unmatched.map(({ line }) => line)).toEqual([8, 9]);
  expect(ambiguous.size).toBe(1);
});

test('[IO12] a title that becomes ambiguous matches nothing, and one that was ambiguous is still found', () => {
  const one = idsOf('# A\n\n- [ ] Same\n', 'markdown');
  const known = new Set(one.byKey.values());
  const two = idsOf('# A\n\n- [ ] Same\n\n# B\n\n- [ ] Same\n', 'markdown', known);
  expect(two.unmatched).toHaveLength(2);
  expect(two.ambiguous.has(String(one.byTitle.get('Same')))).toBe(true);
  const apart = idsOf('# A\n\n- [ ] Same\n\n# B\n\n- [ ] Same\n', 'markdown');
  const left = idsOf('# B\n\n- [ ] Same\n', 'markdown', new Set(apart.byKey.values()));
  expect(left.byTitle.get('Same')).toBe(apart.byTitle.get('Same'));
});

test('[IO12] ids and names of any length and characters are stored', () => {
  const long = 'x'.repeat(500);
  const { byTitle } = idsOf(`id,title\n${long},One\n${long}y,Two\n`, 'csv');
  expect(byTitle.get('One')?.length).toBeLessThanOrEqual(200);
  expect(byTitle.get('One')).not.toBe(byTitle.get('Two'));
  expect(sourceNameOf('csv', `${'x'.repeat(198)}\u{1f600}`)).toHaveLength(200);
  expect(sourceNameOf('csv', 'a\0.csv')).toBe('csv a.csv');
});

test('[IO12] our own exports number their tasks, so titles find them', () => {
  const file = (keys: readonly string[]) =>
    JSON.stringify({ taskgraph: 1, nodes: keys.map((key) => ({ key, title: `Task ${key}` })), links: [] });
  expect(idsOf(file(['1', '2']), 'taskgraph').byTitle.get('Task 1')).toMatch(/^title#/);
  expect(idsOf(file(['a', '2']), 'taskgraph').byTitle.get('Task a')).toBe('a');
});

test('[IO12] hashes tell which values changed, Blocked is no value, and a base has at most 300 characters', () => {
  const values = {
    title: 'One',
    description: 'x',
    status: 3 as const,
    tags: ['a'],
    dueDate: '2026-12-24T23:59:59.000Z',
    priority: 4,
    volume: 5,
    assignee: ['ann'],
    independent: true,
    pinned: true,
    collapsed: true,
    x: 1,
    y: 2,
    z: 3,
  };
  const base = baseOf(values);
  expect(base.length).toBeLessThanOrEqual(300);
  expect(changedSince(base, values)).toEqual([]);
  expect(changedSince(base, { ...values, title: 'Two', tags: [] })).toEqual(['title', 'tags']);
  expect(changedSince(baseOf({ status: 2 }), {})).toEqual([]);
  const later = rebased(base, ['title'], { ...values, title: 'Two', tags: [] });
  expect(changedSince(later, { ...values, title: 'Two' })).toEqual([]);
  expect(baseOf({})).toBe('');
});

test('[IO12] ids that number the rows are positions, unless the earlier file had them as ids', () => {
  const rows = (head: string, ids: readonly (number | string)[]) =>
    `${head},title\n${ids.map((id) => `${id},Task ${id}`).join('\n')}\n`;
  for (const head of ['#', 'No', 'Nr.', 'S.No'])
    expect(idsOf(rows(head, [7, 9]), 'csv').byTitle.get('Task 7')).toMatch(/^title#/);
  const numbered = idsOf(rows('id', [1, 2, 3]), 'csv');
  expect(numbered.byTitle.get('Task 2')).toMatch(/^title#/);
  // A row has left: the numbers look like ids now.
  const later = idsOf(rows('id', [1, 3]), 'csv', new Set(numbered.byKey.values()));
  expect(later.byTitle.get('Task 3')).toBe(numbered.byTitle.get('Task 3'));
  const own = idsOf(rows('id', [2, 3]), 'csv');
  expect(own.byTitle.get('Task 3')).toBe('3');
  const all = idsOf(rows('id', [1, 2, 3]), 'csv', new Set(own.byKey.values()));
  expect(all.byTitle.get('Task 3')).toBe('3');
  // The caller has said that they are ids.
  const mapped = readFile(rows('Row', [1, 2]), 'csv', { columns: { Row: 'id' } });
  expect([...sourceIdsOf(mapped, 'csv').byKey.values()]).toEqual(['1', '2']);
});

test('[IO12] Microsoft Project is matched by its unique id, and outline numbers are positions', () => {
  const project = (rows: string) =>
    idsOf(`ID,Unique ID,Task Name,Duration,Start,Finish,Predecessors,Resource Names\n${rows}`, 'csv');
  const first = project('4,17,Build,1 day,,,,\n6,21,Test,1 day,,,,\n');
  const later = project('5,21,Test all,1 day,,,,\n9,17,Build,1 day,,,,\n');
  expect(later.byTitle.get('Test all')).toBe(first.byTitle.get('Test'));
  expect(idsOf('id,title\n1,A\n1.1,B\n2,C\n', 'csv').byTitle.get('B')).toMatch(/^title#/);
});

test('[IO12] two rows with one id have none, and ids of drawings that look like lines are ids', () => {
  const { byTitle } = idsOf('id,title\na,One\na,Two\nb,Three\n', 'csv');
  expect([byTitle.get('One'), byTitle.get('Two'), byTitle.get('Three')]).toEqual([
    expect.stringMatching(/^title#/),
    expect.stringMatching(/^title#/),
    'b',
  ]);
  expect(idsOf('digraph { "line 3" [label="Three"] }', 'dot').byTitle.get('Three')).toBe('line 3');
  const file = (keys: readonly string[]) =>
    JSON.stringify({ taskgraph: 1, nodes: keys.map((key) => ({ key, title: `Task ${key}` })), links: [] });
  expect(idsOf(file(['a', '2']), 'taskgraph').byTitle.get('Task 2')).toMatch(/^title#/);
});

test('[IO12] a name in another normal form is the same name', () => {
  expect(sourceNameOf('csv', 'Aufgaben fu\u0308r.csv')).toBe(sourceNameOf('csv', 'Aufgaben f\u00fcr.csv'));
});
