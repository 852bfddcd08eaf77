// Updates of imports against a running service, with the built client.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Calls, imports, rest } from '@taskgraph/client';
import { type Caller, readFile, runImport, runUpdate, type UpdateReport, undoUpdate } from '@taskgraph/client/transfer';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CATALOG } from '../catalog.ts';
import { EXIT } from '../failures.ts';
import { type Home, openHome } from './support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
let home: Home;
beforeAll(async () => {
  home = await openHome();
});
afterAll(() => home?.remove());

interface Issue {
  readonly id: string;
  readonly title: string;
  readonly priority?: number;
  readonly status?: string;
  readonly blockedBy?: readonly string[];
}

/** A file of Beads. */
function issues(all: readonly Issue[]): string {
  return all
    .map(({ blockedBy = [], ...issue }) =>
      JSON.stringify({
        status: 'open',
        issue_type: 'task',
        ...issue,
        dependencies: blockedBy.map((id) => ({ depends_on_id: id, type: 'blocks' })),
      }),
    )
    .join('\n');
}

async function user(name: string) {
  const email = emailOf(name);
  const token = await stack.token(email);
  const environment = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token };
  const json = async <T>(...words: string[]) => {
    const { code, stdout, stderr } = await home.run(['--json', ...words], { environment });
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  const { request } = rest({ url, token });
  const caller: Caller = {
    call(event, payload, { idempotencyKey, dryRun } = {}) {
      const { method, path } = CATALOG.find((each) => each.event === event) ?? { method: 'POST', path: '' };
      const fields = { ...payload, ...(dryRun ? { dryRun } : {}) } as Record<string, never>;
      const options = method === 'GET' ? { query: fields } : { body: fields };
      return request(method, path, { ...options, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    },
  };
  const nodes = async () =>
    (await caller.call('graph:get', { limit: 1_000 })).nodes as unknown as Calls['graph:get']['answer']['nodes'];
  const titles = async () => (await nodes()).map(({ title }) => title).sort();
  const nodeNamed = async (title: string) => {
    const found = (await nodes()).find((node) => node.title === title);
    if (found === undefined) throw new Error(`no node has the title ${title}`);
    return found;
  };
  const run = (...words: string[]) => home.run(words, { environment });
  return { email, caller, calls: imports({ url, token }), json, run, nodes, titles, nodeNamed };
}

async function save(name: string, text: string): Promise<string> {
  const path = resolve(home.environment.XDG_DATA_HOME ?? '', '..', name);
  await writeFile(path, text);
  return path;
}

/** The id of a run. */
const RUN = '01985f18-d7b0-7a11-9053-f7b893abd4ec';

const kindsOf = ({ entries }: Pick<UpdateReport, 'entries'>) =>
  Object.fromEntries(entries.map(({ kind, places }) => [kind, places]));

const FIRST = [
  { id: 'p-1', title: 'Design', priority: 1 },
  { id: 'p-2', title: 'Build', priority: 1, blockedBy: ['p-1'] },
  { id: 'p-3', title: 'Test', priority: 1, blockedBy: ['p-2'] },
  { id: 'p-4', title: 'Write', priority: 1 },
] as const;

test('[IO12] a file that has grown updates its earlier import, and an undo gives the state before', async () => {
  const ann = await user('ann-update');
  const path = await save('grown.jsonl', issues(FIRST));
  await ann.json('import', path);
  const [design, write] = [await ann.nodeNamed('Design'), await ann.nodeNamed('Write')];
  // A person changes one value that the file changes too, and one that it does not.
  await ann.caller.call('node:update', { id: write.id, priority: 77 });
  await ann.caller.call('node:update', { id: design.id, tags: ['mine'] });
  await save(
    'grown.jsonl',
    issues([
      { id: 'p-1', title: 'Design all', priority: 1, status: 'closed' },
      { id: 'p-2', title: 'Build', priority: 1, blockedBy: ['p-1'] },
      { id: 'p-4', title: 'Write', priority: 0 },
      { id: 'p-5', title: 'Ship', priority: 1, blockedBy: ['p-2'] },
    ]),
  );
  const before = JSON.stringify(await ann.nodes());
  const dry = await ann.json<UpdateReport>('import', path, '--update', '--dry-run');
  expect(JSON.stringify(await ann.nodes())).toBe(before);
  const expected = {
    created: ['"Ship" (line 4)'],
    linked: ['"Build" (line 2) → "Ship" (line 4)'],
    changed: ['"Design all" (line 1): status', '"Design all" (line 1): title'],
    conflict: ['"Write" (line 3): priority'],
    gone_task: ['"Test"'],
  };
  expect(kindsOf(dry)).toEqual(expected);
  const report = await ann.json<UpdateReport>('import', path, '--update');
  expect(kindsOf(report)).toEqual(expected);
  expect(await ann.titles()).toEqual(['Build', 'Design all', 'Ship', 'Test', 'Write']);
  expect(await ann.nodeNamed('Design all')).toMatchObject({ id: design.id, status: 3, tags: ['mine'] });
  expect(await ann.nodeNamed('Write')).toMatchObject({ id: write.id, priority: 77 });
  // Nothing is left to do; the conflict is reported again.
  const again = await ann.json<UpdateReport>('import', path, '--update');
  expect([again.changes, again.batches, Object.keys(kindsOf(again))]).toEqual([0, [], ['conflict', 'gone_task']]);

  const forced = await ann.json<UpdateReport>('import', path, '--update', '--overwrite', '--remove');
  expect(kindsOf(forced)).toMatchObject({ overwritten: ['"Write" (line 3): priority'], trashed: ['"Test"'] });
  expect((await ann.nodeNamed('Write')).priority).not.toBe(77);
  expect((await ann.run('import', path, '--update', '--undo')).stdout).toContain('update undone');
  expect((await ann.nodeNamed('Write')).priority).toBe(77);
  expect(await ann.titles()).toEqual(['Build', 'Design all', 'Ship', 'Test', 'Write']);
  const repeated = await ann.json<UpdateReport>('import', path, '--update', '--overwrite', '--remove');
  expect(kindsOf(repeated)).toEqual(kindsOf(forced));
  expect(await ann.titles()).toEqual(['Build', 'Design all', 'Ship', 'Write']);
});

test('[IO12] nodes in the trash and removed links stay so, and lost access is reported without content', async () => {
  const [ann, bob] = [await user('ann-lost'), await user('bob-lost')];
  const { diff } = await bob.caller.call('node:add', { title: 'of bob' });
  const foreign = String(diff.nodes[0]?.after.id);
  await bob.caller.call('node:access', { id: foreign, email: ann.email, level: 2 });
  const text = issues(FIRST);
  const graph = readFile(text, 'beads');
  const source = { name: 'beads', calls: ann.calls };
  const { ids } = await runImport(ann.caller, graph, { file: text, format: 'beads', source });
  // The row of Write names a node of another user, to which ann loses access.
  const begun = await ann.calls.begin({ name: 'beads', run: RUN, mode: 'update' });
  await ann.calls.store(begun.source.id, RUN, { tasks: [{ id: 'p-4', node: foreign, base: '' }], complete: true });
  await bob.caller.call('node:update', { id: foreign, title: 'a secret' });
  await bob.caller.call('node:access:delete', { id: foreign, email: ann.email });
  await ann.caller.call('node:trash', { id: String(ids.get('p-3')) });
  const { links = [] } = await ann.caller.call('node:get', { id: String(ids.get('p-1')), links: true });
  await ann.caller.call('link:trash', { id: String(links[0]?.id) });
  const options = { source: 'beads', format: 'beads', calls: ann.calls };
  const report = await runUpdate(ann.caller, graph, options);
  expect(kindsOf(report)).toEqual({
    in_trash: ['"Test" (line 3)'],
    removed_link: ['"Design" (line 1) → "Build" (line 2)'],
    unreachable: ['"Write" (line 4)'],
  });
  expect(JSON.stringify(report)).not.toContain('secret');
  expect(report.changes).toBe(0);
});

test.each([1, 2, 3, 4, 5])(
  '[IO12 IO1] an update that ends at its call number %i is completed by the next one',
  async (at) => {
    const ann = await user(`ann-broken-${at}`);
    const text = issues(FIRST);
    const source = { name: 'x', calls: ann.calls };
    await runImport(ann.caller, readFile(text, 'beads'), { file: text, format: 'beads', source });
    const later = readFile(
      issues([
        ...FIRST.map((issue) => ({ ...issue, priority: 2 })),
        { id: 'p-6', title: 'More', blockedBy: ['p-4'] },
        { id: 'p-7', title: 'Most', blockedBy: ['p-6'] },
      ]),
      'beads',
    );
    let left = at;
    // Odd calls are lost before the service has them, even ones after it. The program ends then.
    const breaking = async <T>(work: () => Promise<T>): Promise<T> => {
      if (--left > 0) return work();
      if (left === 0 && at % 2 === 0) await work();
      throw new Error('it ended');
    };
    const caller: Caller = {
      call: async (event, payload, more) =>
        event === 'batch:run'
          ? breaking(() => ann.caller.call(event, payload, more))
          : ann.caller.call(event, payload, more),
    };
    const calls = {
      ...ann.calls,
      store: async (...rows: Parameters<typeof ann.calls.store>) => breaking(() => ann.calls.store(...rows)),
    };
    const options = { source: 'x', format: 'beads' };
    await expect(runUpdate(caller, later, { ...options, calls })).rejects.toThrow('it ended');
    await runUpdate(ann.caller, later, { ...options, calls: ann.calls });
    expect(await ann.titles()).toEqual(['Build', 'Design', 'More', 'Most', 'Test', 'Write']);
    expect((await ann.nodes()).filter(({ priority }) => priority === 2)).toHaveLength(6);
    expect((await runUpdate(ann.caller, later, { ...options, calls: ann.calls })).changes).toBe(0);
    // Both runs are one update.
    await undoUpdate(ann.caller, { source: 'x', calls: ann.calls });
    expect(await ann.titles()).toEqual(['Build', 'Design', 'Test', 'Write']);
  },
);

test('[IO12] two users update the same file separately, and an unknown source is refused', async () => {
  const [ann, bob] = [await user('ann-two'), await user('bob-two')];
  const path = await save('two.jsonl', issues(FIRST));
  const refusal = await ann.run('import', path, '--update');
  expect([refusal.code, refusal.stderr]).toEqual([EXIT.notFound, expect.stringContaining('no earlier import')]);
  await ann.json('import', path);
  await bob.json('import', path);
  await save('two.jsonl', issues([...FIRST, { id: 'p-9', title: 'New' }]));
  await ann.json('import', path, '--update');
  expect([(await ann.titles()).length, (await bob.titles()).length]).toEqual([5, 4]);
  await bob.json('import', path, '--update');
  expect((await bob.titles()).length).toBe(5);
  expect(await ann.json<{ name: string }[]>('sources')).toMatchObject([{ name: 'beads two.jsonl' }]);
  expect((await ann.run('sources', 'delete', 'beads two.jsonl')).stdout).toContain('deleted');
  expect((await ann.run('import', path, '--update')).code).toBe(EXIT.notFound);
  expect((await bob.run('import', path, '--remove')).code).toBe(EXIT.usage);
});

test('[IO12] an import that is undone leaves no rows behind, and a later one restores both', async () => {
  const ann = await user('ann-undone');
  const path = await save('undone.jsonl', issues(FIRST));
  await ann.json('import', path);
  await ann.run('import', path, '--undo');
  expect(await ann.calls.list()).toEqual([]);
  await ann.json('import', path);
  expect((await ann.json<UpdateReport>('import', path, '--update')).changes).toBe(0);
  expect(await ann.titles()).toHaveLength(4);
});

test('[IO12] where a format has no ids, titles find the tasks, and equal ones are reported', async () => {
  const ann = await user('ann-titles');
  const path = await save('list.md', '# Plan\n\n- [ ] Buy\n- [ ] Call\n');
  await ann.json('import', path);
  const call = await ann.nodeNamed('Call');
  await save('list.md', '# Plan\n\n- [ ] Call\n- [x] Buy\n- [ ] Pay\n- [ ] Same\n- [ ] Same\n');
  const report = await ann.json<UpdateReport>('import', path, '--update');
  expect(kindsOf(report)).toMatchObject({
    created: ['"Pay" (line 5)'],
    changed: ['"Buy" (line 4): status'],
    ambiguous: ['"Same" (line 6)', '"Same" (line 7)'],
  });
  expect((await ann.nodeNamed('Call')).id).toBe(call.id);
});
