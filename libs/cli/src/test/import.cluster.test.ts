// import, export, plan and apply against a running service. The killed import runs the built
// program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome, PROGRAM } from './support/home.ts';
import { psplib } from './support/psplib.ts';
import { zipOf } from './support/zip.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

interface ImportReport {
  readonly nodes: number;
  readonly links: number;
  readonly parts: number;
  readonly there: number;
  readonly leftOut: readonly { readonly what: string; readonly count: number }[];
}
interface PlanSummary {
  readonly makespan: number;
  readonly critical: readonly string[];
  readonly ready: readonly string[];
}

let home: Home;
beforeAll(async () => {
  home = await openHome();
});
afterAll(() => home?.remove());

/** A user with the commands that they run. */
async function user(name: string) {
  const environment = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf(name)) };
  const json = async <T>(...words: string[]) => {
    const { code, stdout, stderr } = await home.run(['--json', ...words], { environment });
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  const titles = async () => (await json<{ title: string }[]>('ls')).map(({ title }) => title);
  return { environment, json, titles, run: (...words: string[]) => home.run(words, { environment }) };
}

async function fileOf(name: string, text: string): Promise<string> {
  const path = resolve(home.environment.XDG_DATA_HOME ?? '', '..', name);
  await writeFile(path, text);
  return path;
}

test('[IO1 IO2 IO4 PLAN6] a plan is imported, planned, undone as a whole and imported again', async () => {
  const ann = await user('ann-plan');
  const { text, makespan, jobs, links } = psplib(8, 4);
  const path = await fileOf('layers.sm', text);
  const dry = await ann.json<ImportReport>('import', path, '--dry-run');
  expect([dry.nodes, dry.links, (await ann.titles()).length]).toEqual([jobs, links, 0]);
  const made = await ann.json<ImportReport>('import', path);
  expect(made).toMatchObject({
    nodes: jobs,
    links,
    there: 0,
    leftOut: [{ what: "a job's demands on resources", count: jobs }],
  });
  const plan = await ann.json<PlanSummary>('plan');
  expect([plan.makespan, plan.critical.length, plan.ready.length]).toEqual([makespan, 10, 1]);
  const slipped = await ann.run('plan', `job-${jobs}`, '--start', '2026-01-01', '--unit', 'day', '--slip', 'job-1:5');
  expect(slipped.stdout).toContain(`makespan ${makespan}, ${jobs} nodes`);
  expect(slipped.stdout).toContain(`with the slip: makespan ${makespan} → ${makespan + 5}`);
  expect(slipped.stdout).toMatch(/\n\S+ +0 \(2026-01-01\) +0 \(2026-01-01\) +0 +Available +Job 1\n/);
  expect(await ann.json<ImportReport>('import', path)).toMatchObject({ there: made.parts });
  expect((await ann.titles()).length).toBe(jobs);
  expect((await ann.run('import', path, '--undo')).stdout).toContain('import undone');
  expect(await ann.titles()).toEqual([]);
  await ann.json('import', path);
  expect([(await ann.titles()).length, (await ann.json<PlanSummary>('plan')).makespan]).toEqual([jobs, makespan]);
});

test('[IO3] our own JSON is unchanged by export and import; other formats are written', async () => {
  const [ann, bob] = [await user('ann-own'), await user('bob-own')];
  await ann.run('add', 'Go "live"', '--due', '2026-12-24', '--tag', 'launch', '--priority', '7', '--assignee', 'ann');
  await ann.run('add', 'Set up; the domain', '--under', 'go "live"');
  await ann.run('add', 'Beside', '--description', 'with\nlines');
  await ann.run('link', 'beside', 'go "live"', '--soft', '--private');
  const first = (await ann.run('export')).stdout;
  await bob.run('import', await fileOf('own.json', first));
  expect((await bob.run('export')).stdout).toBe(first);
  expect(await bob.json('export', 'set up', '--format', 'taskgraph')).toMatchObject({ nodes: 1, links: 0 });
  const drawn = await bob.run('export', '--format', 'mermaid');
  expect(drawn.stdout).toContain('["Go #34;live#34;"]:::blocked');
  expect(drawn.stderr).toMatch(
    /left out: 4\n {2}1 × that a link is private: .*\n {2}3 × everything of a task except its title and status/,
  );
  expect((await bob.run('export', '--format', 'icalendar')).stdout).toContain('SUMMARY:Set up\\; the domain\r\n');
});

test('[IO2] a broken file is rejected with line and reason, and nothing is imported', async () => {
  const ann = await user('ann-broken');
  const whole = await fileOf('whole.csv', 'title\nWhole');
  const path = await fileOf('cycle.csv', 'title,waits for\na,b\nb,a');
  const { code, stderr } = await ann.run('import', whole, path);
  expect([code, stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining(`${path}:2: tasks wait for each other in a cycle: "a" (line 2)`),
  ]);
  expect(await ann.titles()).toEqual([]);
  // This file is endless.
  expect(await ann.run('import', '/dev/zero')).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining('has more than'),
  });
  const latin = await fileOf('latin.json', '');
  await writeFile(latin, Buffer.from('[{"number":1,\n"title":"caf\xe9"}]', 'latin1'));
  expect((await ann.run('import', latin)).stderr).toContain(`${latin}:2: it is not UTF-8 text`);
});

test('[IO10] a dry run shows the columns and first tasks of a table, and the options change how it is read', async () => {
  const ann = await user('ann-table');
  const path = await fileOf('table.csv', '');
  const table = 'Task;Who does it;Due;Priority\nCaf\xe9;Ann;1/2/2027;High\nDig;Bob;soon;Low\n';
  await writeFile(path, Buffer.from(table, 'latin1'));
  const words = ['import', path, '--map', 'Who does it=assignee', '--dates', 'day-first'];
  const dry = await ann.run(...words, '--dry-run');
  expect(dry.stderr).toContain('columns: Task → title, Who does it → assignee, Due → due, Priority → priority');
  expect(dry.stderr).toContain('  Caf\u00e9: Available; due 2027-02-01; priority 3; Ann');
  expect(dry.stderr).toContain('the encoding Windows-1252, which was converted: the file');
  expect(dry.stderr).toContain('line 3: "soon"');
  expect(await ann.titles()).toEqual([]);
  expect(await ann.run(...words, '--strict')).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining(`${path}:3: "soon"`),
  });
  await ann.json(...words);
  expect((await ann.titles()).sort()).toEqual(['Caf\u00e9', 'Dig']);
  expect((await ann.run(...words, '--undo')).stdout).toContain('import undone');
  expect((await ann.run('import', path, '--map', 'Who=assignee')).stderr).toContain('there is no column "Who"');
  expect((await ann.run('import', path, '--dates', 'year-first')).code).toBe(EXIT.usage);
});

/** Resolves when the import of a file has recorded its first part. */
async function firstRecordOf(path: string): Promise<void> {
  const data = join(home.environment.XDG_DATA_HOME ?? '', 'taskgraph');
  for (;;) {
    for (const folder of await readdir(data)) {
      const records = await readFile(join(data, folder, 'imports.json'), 'utf8').catch(() => '');
      if (records.includes(JSON.stringify(path))) return;
    }
    await sleep(5);
  }
}

test('[IO1] an import that is killed after its first part continues when repeated, and creates nothing twice', async () => {
  const ann = await user('ann-killed');
  const { text, jobs, links } = psplib(300, 2);
  const path = await fileOf('killed.sm', text);
  const child = spawn(process.execPath, [PROGRAM, 'import', path], {
    env: { ...process.env, ...home.environment, ...ann.environment },
  });
  const exit = once(child, 'exit');
  await Promise.race([exit, firstRecordOf(path)]);
  child.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);
  const again = await ann.json<ImportReport>('import', path);
  expect(again.parts).toBeGreaterThan(2);
  expect(again.there).toBeGreaterThan(0);
  expect((await ann.titles()).length).toBe(jobs);
  const { links: exportedLinks } = await ann.json<ImportReport>('export');
  expect(exportedLinks).toBe(links);
  expect(await ann.json('import', path, '--undo')).toMatchObject({ parts: again.parts });
  expect(await ann.titles()).toEqual([]);
});

test('[IO1] imports by other users are separate; --under sets the parent; a note reports a changed file', async () => {
  const [ann, bob] = [await user('ann-under'), await user('bob-under')];
  await ann.run('add', 'All of it');
  await ann.run('share', 'all of it', emailOf('bob-under'), '--level', 'editor');
  const path = await fileOf('under.csv', 'title,waits for\nTop,Below\nBelow,');
  await bob.run('import', path, '--under', 'all of it');
  await ann.run('import', path);
  expect((await ann.titles()).sort()).toEqual(['All of it', 'Below', 'Below', 'Top', 'Top']);
  expect(
    (await ann.run('tree', 'all of it')).stdout.split('\n').map((line) => line.replace(/[0-9a-f]{6} /, '')),
  ).toEqual(['Blocked All of it', '└─ Blocked Top', '   └─ Available Below', '']);
  await fileOf('under.csv', 'title\nChanged');
  expect((await ann.run('import', path)).stderr).toMatch(/under\.csv was imported on .* with other content/);
});

test('[BAT1 BAT2 DRY1] apply executes the operations of a file together, and --dry-run reports their effect', async () => {
  const ann = await user('ann-apply');
  await ann.run('add', 'Old');
  const path = await fileOf(
    'plan.yaml',
    `operations:
  - node:add: { title: Go live, dueDate: 2026-12-24T18:00:00Z }
    as: live
  - node:add: { title: Set up the domain, target: $live }
    as: domain
  - { event: 'link:add', payload: { source: old, target: $domain } }
  - node:access: { id: $live, email: ${emailOf('bob-apply')}, level: 2 }
`,
  );
  const dry = await ann.run('apply', path, '--dry-run');
  expect(dry.stdout).toContain(`would see more: ${emailOf('bob-apply')}`);
  expect(await ann.titles()).toEqual(['Old']);
  const { names } = await ann.json<{ names: Record<string, { id: string }> }>('apply', path, '--key', 'once');
  expect(await ann.json('show', names.domain?.id ?? '')).toMatchObject({ title: 'Set up the domain', status: 2 });
  await ann.run('apply', path, '--key', 'once');
  expect((await ann.titles()).length).toBe(3);
  const wrong = await fileOf('wrong.yaml', '- node:add: {title: a}\n- node:add: {title: b\n');
  expect(await ann.run('apply', wrong)).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining(`${wrong}:`),
  });
  const several = await fileOf('several.yaml', '- node:add: {title: a}\n- node:add: {title: b}\n  link:add: {}\n');
  expect((await ann.run('apply', several)).stderr).toContain(`${several}:2: an operation is its event`);
});

test('[IO8] an archive of Vikunja is imported, and one with a false length is rejected', async () => {
  const ann = await user('ann-zip');
  const data = {
    name: 'data.json',
    content: '[{"id":1,"title":"Web","tasks":[{"id":1,"title":"Text","done":false}]}]',
  };
  const path = await fileOf('export.zip', '');
  await writeFile(path, zipOf([data, { name: 'VERSION', content: '1' }]));
  expect(await ann.json('import', path)).toMatchObject({ format: 'vikunja', nodes: 2, links: 1 });
  await writeFile(path, zipOf([{ ...data, directory: { size: 10 } }]));
  expect((await ann.run('import', path, '--format', 'vikunja')).code).toBe(EXIT.usage);
});

test('[IO8] a backup of Todoist is imported with its projects, and undone', async () => {
  const ann = await user('ann-backup');
  const path = await fileOf('todoist.zip', '');
  const home = { name: 'Home [2203306141].csv', content: 'TYPE,CONTENT,DATE\nsection,Hall,\ntask,Paint,soon\n' };
  await writeFile(path, zipOf([home, { name: 'Work.csv', content: 'TYPE,CONTENT\ntask,Write\n' }]));
  const dry = await ann.run('import', path, '--dry-run');
  expect(dry.stderr).toContain('a date in words');
  expect(dry.stderr).toContain('Home [2203306141].csv: line 3: soon');
  expect(await ann.json('import', path)).toMatchObject({ format: 'todoist', nodes: 5, links: 3 });
  expect((await ann.titles()).toSorted()).toEqual(['Hall', 'Home', 'Paint', 'Work', 'Write']);
  const other = await ann.run('import', path, '--format', 'csv');
  expect(other).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('it is a backup of Todoist') });
  await ann.run('import', path, '--undo');
  expect(await ann.titles()).toEqual([]);
});
