// Cases in which an update could write into other nodes, create tasks twice or lose them.
import { expect, test } from 'vitest';
import { TaskgraphError } from '../../error.ts';
import { openUpdateService } from '../../test/support/update-service.ts';
import type { Caller } from '../caller.ts';
import { type ImportFormat, readFile } from '../formats.ts';
import type { ReadOptions } from '../graph/transfer-graph.ts';
import { runImport } from '../import/import-run.ts';
import { undoImport } from '../import/import-undo.ts';
import type { UpdateKind } from './update-report.ts';
import { runUpdate, type UpdateOptions, type UpdateReport } from './update-run.ts';
import { type UndoOptions, undoUpdate } from './update-undo.ts';

const NAME = 'issues';

/** A service with imports and updates of files of one source. */
function openSource(format: ImportFormat = 'beads') {
  const stack = openUpdateService();
  const { service, sources, caller } = stack;
  const source = { calls: sources, name: NAME };
  const graphOf = (text: string, reading?: ReadOptions) => readFile(text, format, reading);
  const optionsOf = (file: string, more: object = {}) => ({ file, format, source, ...more });
  return {
    ...stack,
    importFile: (text: string, more: { under?: string; again?: string; reading?: ReadOptions } = {}, by = caller) =>
      runImport(by, graphOf(text, more.reading), optionsOf(text, more)),
    undoFile: (text: string) => undoImport(caller, graphOf(text), optionsOf(text)),
    update: (text: string, more: Partial<UpdateOptions> = {}, by = caller) =>
      runUpdate(by, graphOf(text, more.reading), { source: NAME, format, calls: sources, ...more }),
    undo: (dryRun = false, more: Partial<UndoOptions> = {}) =>
      undoUpdate(caller, { source: NAME, calls: sources, dryRun, ...more }),
    titles: () => [...service.content().nodes].map(({ title }) => String(title)).sort(),
    node: (title: string) => {
      const found = [...service.content().nodes].find((node) => node.title === title);
      if (found === undefined) throw new Error(`no node has the title ${title}`);
      return found as typeof found & { readonly id: string };
    },
  };
}

interface Issue {
  readonly id: string;
  readonly title: string;
  readonly status?: string;
  readonly blockedBy?: readonly string[];
}

function issues(all: readonly Issue[]): string {
  return all
    .map(({ blockedBy = [], ...issue }) =>
      JSON.stringify({ ...issue, dependencies: blockedBy.map((id) => ({ depends_on_id: id, type: 'blocks' })) }),
    )
    .join('\n');
}

const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `p-${index}`, title: `${word} ${index}` }));
const placesOf = ({ entries }: UpdateReport, kind: UpdateKind) =>
  entries.find((each) => each.kind === kind)?.places ?? [];
const countOf = ({ entries }: UpdateReport, kind: UpdateKind) => entries.find((each) => each.kind === kind)?.count ?? 0;

test('[IO12] a second file of one name records nothing, so that updates never reach its nodes', async () => {
  const { importFile, update, titles, sources } = openSource();
  const [first, second] = [issues([{ id: 'p-1', title: 'Of A' }]), issues([{ id: 'p-1', title: 'Of B' }])];
  const { ids } = await importFile(first);
  const { leftOut } = await importFile(second);
  expect(leftOut.map(({ places }) => places)).toEqual([['conflict.import_source']]);
  await importFile(first, { again: 'second' });
  const { tasks } = await sources.rows('01985f17-c6a0-7a11-8f42-000000000000');
  expect(tasks.map(({ node }) => node)).toEqual([ids.get('p-1')]);
  await update(
    issues([
      { id: 'p-1', title: 'Of A' },
      { id: 'p-2', title: 'New' },
    ]),
  );
  expect(titles()).toEqual(['New', 'Of A', 'Of A', 'Of B']);
});

test('[IO12] a file with hardly any of the earlier tasks is refused, in a dry run too', async () => {
  const { importFile, update, titles } = openSource();
  const all = numbered(12, 'Task');
  await importFile(issues(all));
  const before = titles();
  // A part of the file, and another file with the same ids.
  for (const text of [issues(all.slice(0, 5)), issues(numbered(12, 'Other'))])
    for (const dryRun of [true, false])
      await expect(update(text, { remove: true, dryRun })).rejects.toMatchObject({ code: 'import.other_file' });
  expect(titles()).toEqual(before);
  const report = await update(issues(all.slice(0, 5)), { remove: true, acceptMismatch: true });
  expect(countOf(report, 'trashed')).toBe(7);
});

test('[IO12] an update with another format, reading, parent or file than the import is refused', async () => {
  const { importFile, update, caller } = openSource('csv');
  const { diff } = await caller.call('node:add', { title: 'Parent' });
  const under = String(diff.nodes[0]?.after.id);
  const text = 'Key,title\na,One\n';
  const reading = { columns: { Key: 'id' } };
  await importFile(text, { under, reading });
  for (const dryRun of [true, false]) {
    await expect(update(text, { dryRun })).rejects.toMatchObject({
      code: 'import.other_settings',
      message: expect.stringContaining('reading options'),
    });
    await expect(update(text, { reading, format: 'todoist', dryRun })).rejects.toMatchObject({
      code: 'import.other_settings',
    });
    await expect(update(text, { reading, under: String(diff.batchId), dryRun })).rejects.toMatchObject({
      code: 'import.other_settings',
    });
    // The origin is known only to some clients.
    const own = { reading, under, dryRun, origin: 'a path' };
    expect((await update(text, own)).changes).toBe(0);
  }
});

test('[IO12] two updates at the same time create each task once, and none is lost', async () => {
  for (const at of [1, 2, 3]) {
    const { importFile, update, titles, caller, sources } = openSource();
    const first = numbered(3, 'Task');
    await importFile(issues(first));
    const later = issues([...first, { id: 'n-1', title: 'New' }, { id: 'n-2', title: 'Newer', blockedBy: ['n-1'] }]);
    let left = at;
    // The other update begins before the store of a part of this one, and ends before it.
    const calls = {
      ...sources,
      store: async (...rows: Parameters<typeof sources.store>) => {
        if (--left === 0) await update(later);
        return sources.store(...rows);
      },
    };
    await update(later, { calls }, caller).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'import.replaced' }),
    );
    await update(later).catch((error: unknown) => expect(error).toMatchObject({ code: 'import.replaced' }));
    expect(titles()).toEqual(['New', 'Newer', 'Task 0', 'Task 1', 'Task 2']);
    const report = await update(later);
    expect([report.changes, countOf(report, 'in_trash')]).toEqual([0, 0]);
  }
});

test('[IO12] an interrupted import is completed before an update, and its tasks come once', async () => {
  for (const at of [1, 2]) {
    const { importFile, update, undo, titles, breakAt, mend } = openSource();
    const text = issues(numbered(3, 'Task'));
    breakAt(at, 'after');
    await importFile(text).catch((error: unknown) => expect(error).toMatchObject({ code: 'client.disconnected' }));
    mend();
    const later = issues(numbered(4, 'Task'));
    await expect(update(later)).rejects.toMatchObject({ code: 'import.incomplete' });
    await expect(undo()).rejects.toMatchObject({ code: 'import.incomplete' });
    await importFile(text);
    await update(later);
    expect(titles()).toEqual(['Task 0', 'Task 1', 'Task 2', 'Task 3']);
  }
});

test('[IO12] an interrupted update that continues is undone as a whole', async () => {
  for (const at of [1, 2]) {
    const { importFile, update, undo, titles, breakAt, mend } = openSource();
    await importFile(issues(numbered(3, 'Task')));
    const later = issues(numbered(5, 'Task'));
    breakAt(at, 'after');
    await expect(update(later)).rejects.toMatchObject({ code: 'client.disconnected' });
    mend();
    expect(await undo(true)).toMatchObject({ parts: at - 1, interrupted: true });
    await update(later);
    expect(titles()).toHaveLength(5);
    await undo();
    expect(titles()).toHaveLength(3);
  }
});

test('[IO12 IO4] the undo of an update allows what the update itself changed later', async () => {
  const { importFile, update, undo, titles, node } = openSource('csv');
  await importFile('id,title\na,One\n');
  const later = 'id,title,status,independent,blocked by\na,One,,,\nx,Blocker,,,\nb,Two,Completed,true,x\n';
  await update(later);
  // It is Completed although it was Blocked between its link and its independence.
  expect(node('Two')).toMatchObject({ independent: true, status: 3 });
  expect(await undo(true)).toMatchObject({ before: 0 });
  expect(titles()).toEqual(['Blocker', 'One', 'Two']);
  await undo();
  expect(titles()).toEqual(['One']);
});

test('[IO12 IO4] a completed independent task reopens nothing that it blocks, and the update is undone', async () => {
  const { importFile, update, undo, titles, node } = openSource('csv');
  const head = 'id,title,status,waits for,independent\n';
  await importFile(`${head}a,Old,done,,no\nz,Open,,,no\n`);
  const later = `${head}a,Old,done,c,no\nz,Open,,,no\nc,Free,done,z,yes\nd,New,done,c,no\n`;
  await update(later);
  expect(['Old', 'Free', 'New'].map((title) => node(title).status)).toEqual([3, 3, 3]);
  expect((await update(later)).changes).toBe(0);
  await undo();
  expect([titles(), node('Old').status]).toEqual([['Old', 'Open'], 3]);
});

test('[IO12] an undo without an update does not undo the import', async () => {
  const { importFile, update, undo, titles } = openSource();
  const text = issues(numbered(2, 'Task'));
  await importFile(text);
  await update(text);
  await importFile(text);
  for (const dryRun of [true, false]) await expect(undo(dryRun)).rejects.toMatchObject({ code: 'import.not_there' });
  expect(titles()).toEqual(['Task 0', 'Task 1']);
});

test('[IO12] an update after a repeated import compares with the last file, not with the first one', async () => {
  const { importFile, update, node, caller } = openSource();
  const first = issues([
    { id: 'p-1', title: 'First' },
    { id: 'p-2', title: 'Other' },
  ]);
  await importFile(first);
  await update(
    issues([
      { id: 'p-1', title: 'Second' },
      { id: 'p-2', title: 'Other' },
    ]),
  );
  await importFile(first);
  await caller.call('node:update', { id: node('Second').id, title: 'Mine' });
  const report = await update(
    issues([
      { id: 'p-1', title: 'Second' },
      { id: 'p-2', title: 'Other' },
    ]),
  );
  expect([report.changes, countOf(report, 'conflict')]).toEqual([0, 0]);
});

test('[IO12] the rows of an undone import end, and another import may take its source', async () => {
  const { importFile, undoFile, update, titles } = openSource();
  const [first, second] = [issues(numbered(2, 'A')), issues(numbered(2, 'B'))];
  await importFile(first);
  await undoFile(first);
  await expect(update(first)).rejects.toMatchObject({ code: 'import.no_source' });
  expect((await importFile(second)).leftOut).toEqual([]);
  expect((await update(second)).changes).toBe(0);
  expect(titles()).toEqual(['B 0', 'B 1']);
  // The undo of an import that is not recorded leaves the rows of the other one.
  await importFile(first);
  await undoFile(first);
  expect((await update(second)).changes).toBe(0);
});

test('[IO12] an import that is undone and made again is known again, with the tasks of its updates', async () => {
  const { importFile, undoFile, update, titles } = openSource();
  const [first, later] = [issues(numbered(2, 'Task')), issues(numbered(3, 'Task'))];
  await importFile(first);
  await update(later);
  await undoFile(first);
  await expect(update(later)).rejects.toMatchObject({ code: 'import.incomplete' });
  await importFile(first);
  expect((await update(later)).changes).toBe(0);
  expect(titles()).toEqual(['Task 0', 'Task 1', 'Task 2']);
});

test('[IO12] fields that a later table does not state, and cells that cannot be read, stay', async () => {
  const { importFile, update, node } = openSource('csv');
  await importFile('id,title,notes,due,priority\na,One,text,2026-12-24,3\nb,Two,more,,1\n');
  expect((await update('id,title,priority\na,One,high-ish\nb,Two,2\n')).changes).toBe(1);
  expect(node('One')).toMatchObject({ description: 'text', priority: 3 });
  expect(node('One').dueDate).not.toBeNull();
  expect(node('Two')).toMatchObject({ description: 'more', priority: 2 });
});

test('[IO12] issues without a body keep the description', async () => {
  const { importFile, update, node } = openSource('github');
  await importFile(JSON.stringify([{ number: 7, title: 'One', body: 'text', state: 'open', labels: [{ name: 'x' }] }]));
  await update(JSON.stringify([{ number: 7, title: 'One', state: 'closed' }]));
  expect(node('One')).toMatchObject({ description: 'text', tags: ['x'], status: 3 });
});

test('[IO12] a numbered table is matched by titles, so that a new first row moves nothing', async () => {
  for (const head of ['#', 'No.', 'id']) {
    const { importFile, update, node, caller } = openSource('csv');
    await importFile(`${head},title\n1,One\n2,Two\n`);
    const { id } = node('One');
    await caller.call('node:update', { id, tags: ['mine'] });
    const report = await update(`${head},title\n1,Zero\n2,One\n3,Two\n`);
    expect([report.changes, placesOf(report, 'created')]).toEqual([1, ['"Zero" (line 2)']]);
    expect(node('One')).toMatchObject({ id, tags: ['mine'] });
  }
});

test('[IO12] of two equal tasks, the one that a later file still has is not created again', async () => {
  const { importFile, update, titles } = openSource('markdown');
  await importFile('# A\n\n- [ ] Test\n- [ ] Test\n- [ ] Other\n');
  const report = await update('# A\n\n- [ ] Test\n- [ ] Other\n', { remove: true });
  expect([report.changes, placesOf(report, 'ambiguous')]).toEqual([0, ['"Test" (line 3)']]);
  expect(titles()).toEqual(['A', 'Other', 'Test', 'Test']);
});

test('[IO12] a second task with the title of an earlier one is created once, and the earlier one stays itself', async () => {
  const { importFile, update, titles, node } = openSource('markdown');
  const first = '# A\n\n- [ ] Stay\n- [ ] Test\n\n# B\n\n- [ ] Other\n';
  await importFile(first);
  const { id } = node('Test');
  const two = '# B\n\n- [ ] Test\n- [ ] Other\n\n# A\n\n- [ ] Stay\n- [x] Test\n';
  const report = await update(two);
  expect([placesOf(report, 'created'), placesOf(report, 'changed'), placesOf(report, 'ambiguous')]).toEqual([
    ['"Test" (line 3)'],
    ['"Test" (line 9): status'],
    [],
  ]);
  expect(titles()).toEqual(['A', 'B', 'Other', 'Stay', 'Test', 'Test']);
  expect((await update(two)).changes).toBe(0);
  // The earlier one leaves.
  const left = await update('# B\n\n- [ ] Test\n- [ ] Other\n\n# A\n\n- [ ] Stay\n', { remove: true });
  expect([countOf(left, 'trashed'), countOf(left, 'created')]).toEqual([1, 0]);
  expect(node('Test').id).not.toBe(id);
});

test('[IO12] of equal tasks at one place the unchanged one is the earlier one, and a moved task is known', async () => {
  const { importFile, update, titles } = openSource('markdown');
  await importFile('# A\n\n- [ ] Test\n- [ ] Other\n');
  const equal = '# A\n\n- [x] Test\n- [ ] Test\n- [ ] Other\n';
  expect(placesOf(await update(equal), 'created')).toEqual(['"Test" (line 3)']);
  expect((await update(equal)).changes).toBe(0);
  expect(titles()).toEqual(['A', 'Other', 'Test', 'Test']);
  // Afterwards nothing tells them apart.
  const left = await update('# A\n\n- [ ] Test\n- [ ] Other\n', { remove: true });
  expect([left.changes, countOf(left, 'ambiguous')]).toEqual([0, 1]);
  const other = openSource('markdown');
  await other.importFile('# A\n\n- [ ] Stay\n- [ ] Move\n\n# B\n\n- [ ] Other\n');
  const moved = other.node('Move').id;
  await other.update('# A\n\n- [ ] Stay\n\n# B\n\n- [ ] Move\n- [ ] Other\n', { remove: true });
  const report = await other.update('# A\n\n- [ ] Stay\n- [ ] Move\n\n# B\n\n- [x] Move\n- [ ] Other\n');
  expect([placesOf(report, 'created'), placesOf(report, 'changed')]).toEqual([
    ['"Move" (line 4)'],
    ['"Move" (line 8): status'],
  ]);
  expect(other.service.state().nodes.find(({ id }) => id === moved)).toMatchObject({ status: 3 });
});

test('[IO12] a task with subtasks, links or readers of persons is no task that only the file has changed', async () => {
  const { importFile, update, node, caller, titles } = openSource();
  const all = numbered(4, 'Task');
  await importFile(issues(all));
  await caller.call('node:add', { title: 'Subtask', target: node('Task 0').id });
  await caller.call('link:add', { source: node('Task 1').id, target: node('Task 3').id, type: 0 });
  await caller.call('node:access', { id: node('Task 2').id, email: 'bob@example.com', level: 3 });
  const report = await update(issues(all.slice(3)), { remove: true });
  expect([report.changes, placesOf(report, 'conflict')]).toEqual([
    0,
    ['"Task 0": links', '"Task 1": links', '"Task 2": sharing'],
  ]);
  await update(issues(all.slice(3)), { remove: true, overwrite: true });
  expect(titles()).toEqual(['Subtask', 'Task 3']);
});

/** Refuses the operations that `isRefused` names, as the service does, and counts all that are sent. */
function refusing(caller: Caller, isRefused: (event: string, payload: object) => boolean) {
  const sent = { calls: 0, operations: 0 };
  const refusingCaller: Caller = {
    call(event, payload, options) {
      if (event !== 'batch:run') return caller.call(event, payload, options);
      const { operations } = payload as { readonly operations: readonly { event: string; payload: object }[] };
      sent.calls++;
      sent.operations += operations.length;
      const index = operations.findIndex((each) => isRefused(each.event, each.payload));
      if (index < 0) return caller.call(event, payload, options);
      const details = { index };
      return Promise.reject(new TaskgraphError({ code: 'forbidden', message: 'forbidden', details, traceId: null }));
    },
  };
  return { sent, caller: refusingCaller };
}

test('[IO12] refusals are reported one by one, with a bounded number of calls', async () => {
  const count = 400;
  const { importFile, update, caller, node } = openSource();
  const all = numbered(count, 'Task');
  await importFile(issues(all));
  const later = issues(all.map((each) => ({ ...each, status: 'closed' })));
  const every = refusing(caller, (event) => event === 'node:update');
  expect(countOf(await update(later, {}, every.caller), 'refused')).toBe(count);
  expect(every.sent.operations).toBeLessThan(4 * count);
  const { id } = node('Task 200');
  const one = refusing(caller, (_event, payload) => (payload as { id?: string }).id === id);
  expect(countOf(await update(later, {}, one.caller), 'changed')).toBe(count - 1);
  expect(one.sent.calls).toBeLessThan(8);
});

test('[IO12] without their parent new tasks are created beside it, in one attempt, and reported', async () => {
  const { importFile, update, caller, titles } = openSource();
  const { diff } = await caller.call('node:add', { title: 'Parent' });
  const under = String(diff.nodes[0]?.after.id);
  const all = numbered(2, 'Task');
  await importFile(issues(all), { under });
  const noLinks = refusing(caller, (event) => event === 'link:add');
  const report = await update(issues(numbered(30, 'Task')), {}, noLinks.caller);
  expect([countOf(report, 'created'), countOf(report, 'refused'), noLinks.sent.calls]).toEqual([28, 0, 2]);
  expect(report.leftOut.map(({ what }) => what)).toEqual([
    'that new tasks are below the node of the import (forbidden)',
  ]);
  await caller.call('node:trash', { id: under });
  const later = await update(issues(numbered(31, 'Task')));
  expect(later.leftOut.map(({ what }) => what)).toEqual([
    'that new tasks are below the node of the import, which is gone',
  ]);
  expect(titles()).toHaveLength(31);
});

test('[IO12] a task whose only target is not there is below the parent of the import', async () => {
  const { importFile, update, caller, node, service } = openSource();
  const { diff } = await caller.call('node:add', { title: 'Parent' });
  const under = String(diff.nodes[0]?.after.id);
  const all = numbered(2, 'Task');
  await importFile(issues(all), { under });
  await caller.call('node:trash', { id: node('Task 1').id });
  await update(issues([all[0] as Issue, { id: 'p-1', title: 'Task 1', blockedBy: ['n'] }, { id: 'n', title: 'New' }]));
  const targets = [...service.content().links].filter(({ source }) => source === node('New').id);
  expect(targets.map(({ target }) => target)).toEqual([under]);
});

test('[IO12 GEN8] a part that a person undid before it was recorded is restored and recorded', async () => {
  const { importFile, update, caller, titles, breakAt, mend, service } = openSource();
  await importFile(issues(numbered(2, 'Task')));
  const later = issues(numbered(3, 'Task'));
  breakAt(1, 'after');
  await expect(update(later)).rejects.toMatchObject({ code: 'client.disconnected' });
  mend();
  const batchId = String([...service.state().batches].at(-1)?.id);
  await caller.call('batch:undo', { batchId });
  await update(later);
  expect(titles()).toEqual(['Task 0', 'Task 1', 'Task 2']);
  expect((await update(later)).changes).toBe(0);
});

test('[IO12] a task that an interrupted update moved to the trash was not moved by a person', async () => {
  for (const at of [1, 2, 3])
    for (const when of ['before', 'after'] as const) {
      const { importFile, update, titles, breakAt, mend, service } = openSource();
      const all = issues([...numbered(3, 'Task'), { id: 'z', title: 'Last', blockedBy: ['p-0'] }]);
      await importFile(all);
      breakAt(at, when);
      await expect(update(issues(numbered(3, 'Task')), { remove: true })).rejects.toMatchObject({
        code: 'client.disconnected',
      });
      mend();
      const report = await update(all);
      expect(countOf(report, 'in_trash'), `${at} ${when}`).toBe(0);
      expect(titles()).toEqual(['Last', 'Task 0', 'Task 1', 'Task 2']);
      expect([...service.content().links]).toHaveLength(1);
      expect((await update(all)).changes).toBe(0);
    }
});

test('[IO12] a task that a person moves to the trash after an update could not stays there', async () => {
  const { importFile, update, caller, node, titles } = openSource();
  await importFile(issues(numbered(3, 'Task')));
  const { id } = node('Task 2');
  const noTrash: Caller = {
    call(event, payload, options) {
      if (event !== 'batch:run' || !JSON.stringify(payload).includes('node:trash'))
        return caller.call(event, payload, options);
      throw new TaskgraphError({ code: 'forbidden', message: 'no', details: { index: 0 }, traceId: null });
    },
  };
  expect(countOf(await update(issues(numbered(2, 'Task')), { remove: true }, noTrash), 'refused')).toBe(1);
  await caller.call('node:trash', { id });
  expect(placesOf(await update(issues(numbered(3, 'Task'))), 'in_trash')).toEqual(['"Task 2" (line 3)']);
  expect(titles()).toEqual(['Task 0', 'Task 1']);
});

test('[IO12] a part whose rows exceed the maximum is undone', async () => {
  const { importFile, update, titles, sources } = openSource();
  await importFile(issues(numbered(2, 'Task')));
  const full = () =>
    Promise.reject(new TaskgraphError({ code: 'conflict.too_many_import_rows', message: 'full', traceId: null }));
  await expect(update(issues(numbered(3, 'Task')), { calls: { ...sources, store: full } })).rejects.toMatchObject({
    code: 'import.too_many_rows',
  });
  expect(titles()).toEqual(['Task 0', 'Task 1']);
  await update(issues(numbered(3, 'Task')));
  expect(titles()).toEqual(['Task 0', 'Task 1', 'Task 2']);
});

test('[IO12] a report counts tasks with equal titles one by one', async () => {
  const { importFile, update } = openSource();
  const all = Array.from({ length: 5 }, (_, index) => ({ id: `p-${index}`, title: 'Test' }));
  await importFile(issues([...all, { id: 'q', title: 'Other' }]));
  const report = await update(issues([{ id: 'q', title: 'Other' }]), { dryRun: true });
  expect([countOf(report, 'gone_task'), placesOf(report, 'gone_task')]).toEqual([5, ['"Test"']]);
});

test('[IO12] a small source is read by the ids of its nodes', async () => {
  const { importFile, update, caller } = openSource();
  await importFile(issues(numbered(3, 'Task')));
  const events: string[] = [];
  const noted: Caller = {
    call(event, payload, options) {
      events.push(event);
      return caller.call(event, payload, options);
    },
  };
  await update(issues(numbered(3, 'Task')), {}, noted);
  expect(events).toEqual(['node:add', 'node:get']);
});

test('[IO12] the ids of a table stay ids when they number its rows for a while', async () => {
  const { importFile, update, titles, node } = openSource('csv');
  const table = (...ids: readonly number[]) => `id,title\n${ids.map((id) => `${id},Task ${id}`).join('\n')}\n`;
  await importFile(table(1, 2, 4));
  await update(table(1, 2, 3, 4));
  const { id } = node('Task 3');
  const report = await update(table(1, 2, 3, 4, 6), { remove: true });
  expect([countOf(report, 'created'), countOf(report, 'trashed')]).toEqual([1, 0]);
  expect([titles(), node('Task 3').id]).toEqual([['Task 1', 'Task 2', 'Task 3', 'Task 4', 'Task 6'], id]);
});

test('[IO12] a task that an update moved to the trash is restored with its links when the file has it again', async () => {
  const { importFile, update, undo, titles, node, service } = openSource();
  const all = [...numbered(3, 'Task'), { id: 'z', title: 'Last', blockedBy: ['p-0'] }];
  await importFile(issues(all));
  const { id } = node('Last');
  await update(issues(all.slice(0, 3)), { remove: true });
  expect(titles()).toEqual(['Task 0', 'Task 1', 'Task 2']);
  // An update in between changes nothing of it.
  expect((await update(issues(all.slice(0, 3)), { remove: true })).changes).toBe(0);
  const again = issues([...all.slice(0, 3), { id: 'z', title: 'Final', blockedBy: ['p-0'] }]);
  expect(placesOf(await update(again, { dryRun: true }), 'restored')).toEqual(['"Final" (line 4)']);
  const report = await update(again);
  expect([countOf(report, 'restored'), countOf(report, 'created'), countOf(report, 'changed')]).toEqual([1, 0, 1]);
  expect([node('Final').id, [...service.content().links].length]).toEqual([id, 1]);
  expect((await update(again)).changes).toBe(0);
  await undo();
  expect(titles()).toEqual(['Task 0', 'Task 1', 'Task 2']);
  await update(again);
  expect(node('Final').id).toBe(id);
});

test('[IO12] a task that an update removed and a person restored is adopted, and a deleted one is created', async () => {
  const { importFile, update, node, caller } = openSource();
  const all = numbered(4, 'Task');
  await importFile(issues(all));
  const [restored, deleted] = [node('Task 2').id, node('Task 3').id];
  await update(issues(all.slice(0, 2)), { remove: true });
  await caller.call('node:restore', { id: restored });
  await caller.call('node:delete', { id: deleted });
  const report = await update(issues(all));
  expect([countOf(report, 'restored'), placesOf(report, 'created')]).toEqual([0, ['"Task 3" (line 4)']]);
  expect(node('Task 2').id).toBe(restored);
  expect((await update(issues(all))).changes).toBe(0);
});

test('[IO12] after 20 equal refusals the other changes of their type are left out, and counted', async () => {
  const count = 400;
  const { importFile, update, caller } = openSource();
  const all = numbered(count, 'Task');
  await importFile(issues(all));
  const later = issues([...all.map((each) => ({ ...each, status: 'closed' })), { id: 'n', title: 'New' }]);
  const every = refusing(caller, (event) => event === 'node:update');
  const report = await update(later, {}, every.caller);
  expect([countOf(report, 'refused'), countOf(report, 'created')]).toEqual([count, 1]);
  expect(every.sent.calls).toBeLessThan(25);
});

test('[IO12] an update that fails before its first change leaves the source complete', async () => {
  const { importFile, update, caller, sources } = openSource();
  await importFile(issues(numbered(2, 'Task')));
  const failing = (name: string, code: 'unavailable' | 'forbidden.scope'): Caller => ({
    call(event, payload, options) {
      if (event !== name) return caller.call(event, payload, options);
      return Promise.reject(new TaskgraphError({ code, message: 'no', traceId: null }));
    },
  });
  const state = async () => (await sources.list())[0]?.state;
  for (const by of [failing('node:get', 'unavailable'), failing('batch:run', 'forbidden.scope')]) {
    await expect(update(issues(numbered(3, 'Task')), {}, by)).rejects.toThrow();
    expect(await state()).toBe('complete');
  }
  // Nobody knows whether this call took effect.
  await expect(update(issues(numbered(3, 'Task')), {}, failing('batch:run', 'unavailable'))).rejects.toThrow();
  expect(await state()).toBe('running');
});

test('[IO12] an interrupted update is undone without its file, once', async () => {
  const { importFile, update, undo, titles, breakAt, mend, sources } = openSource();
  await importFile(issues(numbered(2, 'Task')));
  breakAt(2, 'after');
  await expect(update(issues(numbered(4, 'Task')))).rejects.toMatchObject({ code: 'client.disconnected' });
  mend();
  expect(titles()).toHaveLength(4);
  expect(await undo()).toEqual({ parts: 1, before: 0, interrupted: true });
  expect([titles(), (await sources.list())[0]]).toMatchObject([
    ['Task 0', 'Task 1'],
    { state: 'complete', undoable: false },
  ]);
  for (const dryRun of [true, false]) await expect(undo(dryRun)).rejects.toMatchObject({ code: 'import.not_there' });
  await update(issues(numbered(4, 'Task')));
  expect(titles()).toHaveLength(4);
});

test('[IO12] the undo of an update compares the format and the path with those of the import', async () => {
  const { importFile, update, undo, titles } = openSource();
  await importFile(issues(numbered(2, 'Task')));
  await update(issues(numbered(3, 'Task')));
  for (const dryRun of [true, false])
    await expect(undo(dryRun, { format: 'csv' })).rejects.toMatchObject({ code: 'import.other_settings' });
  expect(titles()).toHaveLength(3);
  await undo(false, { format: 'beads', origin: 'a path' });
  expect(titles()).toHaveLength(2);
});

test('[IO12] an undo that cannot begin does not block later updates, even if a batch was undone before', async () => {
  const { importFile, update, undo, caller, node, sources } = openSource();
  await importFile(issues(numbered(1, 'Task')));
  const later = issues([
    { id: 'p-0', title: 'First' },
    { id: 'n', title: 'New' },
  ]);
  const { batches } = await update(later);
  expect(batches).toHaveLength(2);
  await caller.call('batch:undo', { batchId: String(batches[0]) });
  await caller.call('node:update', { id: node('First').id, title: 'Mine' });
  await expect(undo()).rejects.toMatchObject({ code: 'import.conflict' });
  expect((await sources.list())[0]?.state).toBe('complete');
});

test('[IO12] many removals need the consent of the caller, in a dry run too', async () => {
  const { importFile, update, titles } = openSource();
  const all = numbered(20, 'Task');
  await importFile(issues(all));
  for (const dryRun of [true, false])
    await expect(update(issues(all.slice(5)), { remove: true, dryRun })).rejects.toMatchObject({
      code: 'import.many_removals',
    });
  expect(titles()).toHaveLength(20);
  // Removed tasks no longer count.
  expect(countOf(await update(issues(all.slice(4)), { remove: true }), 'trashed')).toBe(4);
  expect(countOf(await update(issues(all.slice(9)), { remove: true, acceptMismatch: true }), 'trashed')).toBe(5);
});

test('[IO12] a node whose grants the caller may not list counts as shared', async () => {
  const { importFile, update, caller } = openSource();
  await importFile(issues(numbered(3, 'Task')));
  const editor: Caller = {
    call(event, payload, options) {
      if (event !== 'node:access:list') return caller.call(event, payload, options);
      return Promise.reject(new TaskgraphError({ code: 'forbidden', message: 'no', traceId: null }));
    },
  };
  const report = await update(issues(numbered(2, 'Task')), { remove: true }, editor);
  expect([report.changes, placesOf(report, 'conflict')]).toEqual([0, ['"Task 2": sharing']]);
});

test('[IO12] a conflict of a status counts once, however often the update compares', async () => {
  const { importFile, update, caller, node } = openSource();
  await importFile(
    issues([...numbered(2, 'Task'), { id: 'x', title: 'Blocker' }, { id: 'b', title: 'Blocked', blockedBy: ['x'] }]),
  );
  const [first, blocked] = [node('Task 0').id, node('Blocked').id];
  let isOpen = true;
  // A person changes a task while the update is under way.
  const meanwhile: Caller = {
    async call(event, payload, options) {
      if (event === 'batch:run' && isOpen && JSON.stringify(payload).includes(first)) {
        isOpen = false;
        await caller.call('node:update', { id: first, tags: ['mine'] });
      }
      return caller.call(event, payload, options);
    },
  };
  const report = await update(
    issues([
      { id: 'p-0', title: 'Changed' },
      { id: 'p-1', title: 'Task 1' },
      { id: 'x', title: 'Blocker' },
      { id: 'b', title: 'Blocked', blockedBy: ['x'], status: 'closed' },
    ]),
    {},
    meanwhile,
  );
  expect(isOpen).toBe(false);
  expect([countOf(report, 'changed'), countOf(report, 'blocked')]).toEqual([1, 1]);
  expect(node('Blocked').id).toBe(blocked);
});

test('[IO12] an import over a worker of the previous release succeeds without rows', async () => {
  for (const code of ['bad_request', 'bad_request.unknown_event', 'not_found'] as const) {
    const { caller, sources, titles } = openSource();
    const text = issues(numbered(2, 'Task'));
    const begin = () => Promise.reject(new TaskgraphError({ code, message: 'no', traceId: null }));
    const source = { name: NAME, calls: { ...sources, begin } };
    const { leftOut } = await runImport(caller, readFile(text, 'beads'), { file: text, format: 'beads', source });
    expect([titles(), leftOut.map(({ places }) => places)]).toEqual([['Task 0', 'Task 1'], [[code]]]);
  }
});
