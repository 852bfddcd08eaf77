// The options of ls, on a local copy without a service. Rule: FIND10.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome } from './support/home.ts';
import { idOf, writeOfflineCopy } from './support/offline-copy.ts';

let home: Home;
beforeAll(async () => {
  home = await openHome({ TASKGRAPH_URL: 'http://127.0.0.1:9', TASKGRAPH_TOKEN: 'tg_nobody' });
  const nodes = [
    { title: 'Late', dueDate: '2020-01-01T23:59:59.000Z', assignee: ['ann'] },
    { title: 'Soon', dueDate: '2999-12-24T23:59:59.000Z', priority: 2, assignee: ['bob'] },
    { title: 'Some day', priority: 5, assignee: ['Ann'] },
  ];
  const named = nodes.map((node, index) => ({ id: idOf(index + 1), ...node }));
  await writeOfflineCopy(home.environment, { nodes: named, username: 'ann' });
});
afterAll(() => home?.remove());

const run = (...flags: readonly string[]) => home.run(['--offline', '--json', 'ls', ...flags]);

test.each([
  [[], ['Late', 'Soon', 'Some day']],
  [
    ['--due', '2999-12-24'],
    ['Late', 'Soon'],
  ],
  [['--due', '2999-12-23'], ['Late']],
  [['--due', 'none'], ['Some day']],
  [['--overdue'], ['Late']],
  [
    ['--assignee', 'me'],
    ['Late', 'Some day'],
  ],
  [['--assignee', 'BOB'], ['Soon']],
  [
    ['--sort', 'due', '--desc'],
    ['Soon', 'Late', 'Some day'],
  ],
  [
    ['--sort', 'priority', '--desc', '--limit', '2'],
    ['Some day', 'Soon'],
  ],
])('[FIND10] ls %j lists %j', async (flags, titles) => {
  const { code, stdout } = await run(...flags);
  expect([code, (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title)]).toEqual([0, titles]);
});

test.each([
  [['--desc'], '--sort'],
  [['--sort', 'size'], 'due, priority'],
  [['--limit', '0'], '--limit 10'],
  [['--limit', '1.5'], '--limit 10'],
  [['--due', '2026-02-30'], 'does not exist'],
  [['--trash', '--overdue'], '--trash'],
])('[FIND10] ls %j is rejected and names %j', async (flags, part) => {
  const { code, stderr } = await run(...flags);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(part)]);
});

test('[FIND10] `me` needs a local copy that names its user', async () => {
  const other = await openHome({ TASKGRAPH_URL: 'http://127.0.0.1:9', TASKGRAPH_TOKEN: 'tg_other' });
  await writeOfflineCopy(other.environment, { nodes: [] });
  const { code, stderr } = await other.run(['--offline', 'ls', '--assignee', 'me']);
  await other.remove();
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('--assignee NAME')]);
});
