// Days and times in the whole command line, for users in different time zones. Rules: IO6, PLAN4.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome } from './support/home.ts';

const stack = sharedStack();
const ZONES = ['Etc/GMT+12', 'America/Los_Angeles', 'UTC', 'Asia/Tokyo', 'Pacific/Kiritimati'] as const;
const DAY = '2026-12-24';

let home: Home;
beforeAll(async () => {
  home = await openHome({ TASKGRAPH_URL: stack.urls[0] ?? '', TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) });
});
afterAll(() => home?.remove());

/** Runs a command in the time zone. */
async function runIn(zone: string, ...words: readonly string[]) {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    return await home.run(words);
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

async function dueOf(zone: string, title: string): Promise<string> {
  const { stdout } = await runIn(zone, '--offline', 'show', title);
  return /^due +(.*)$/m.exec(stdout)?.[1] ?? '';
}

test('[IO6] a day given in any time zone is the same day in every time zone', async () => {
  for (const zone of ZONES) {
    const { stdout } = await runIn(zone, '--json', 'add', `Due in ${zone}`, '--due', DAY);
    expect(JSON.parse(stdout).nodes[0].after.dueDate).toBe(`${DAY}T23:59:59.000Z`);
  }
  await home.run(['ls']);
  for (const writer of ZONES)
    for (const reader of ZONES)
      expect([writer, reader, await dueOf(reader, `Due in ${writer}`)]).toEqual([writer, reader, DAY]);
  expect((await runIn('America/Los_Angeles', '--offline', 'ls')).stdout).toMatch(/2026-12-24 +Due in America/);
  const { stdout } = await runIn('Asia/Tokyo', '--offline', 'export', '--format', 'csv');
  expect(stdout.match(/,2026-12-24,/g)).toHaveLength(ZONES.length);
});

test('[IO6] a time appears in the time zone of its reader', async () => {
  await runIn('America/Los_Angeles', 'add', 'Meet', '--due', '2026-12-24T18:00');
  await home.run(['ls']);
  expect(await dueOf('America/Los_Angeles', 'Meet')).toBe('2026-12-24 18:00');
  expect(await dueOf('Asia/Tokyo', 'Meet')).toBe('2026-12-25 11:00');
});

test('[PLAN4 IO6] a plan that starts on a day uses days in every time zone', async () => {
  await home.run(['add', 'Dig', '--volume', '3', '--due', '2026-11-02']);
  await home.run(['add', 'Fill', '--volume', '1', '--due', '2026-11-03']);
  await home.run(['link', 'dig', 'fill']);
  for (const zone of ZONES) {
    // Clocks are put back on the first of November in Los Angeles.
    const { stdout } = await runIn(zone, 'plan', 'fill', '--start', '2026-10-31', '--unit', 'day');
    expect(stdout).toMatch(/0 \(2026-10-31\) +3 \(2026-11-02\) .*Dig$/m);
    expect(stdout).toMatch(/3 \(2026-11-03\) +4 \(2026-11-03\) .*Fill$/m);
    expect(stdout).toContain('late (0)');
  }
  const hours = (await runIn('America/Los_Angeles', 'plan', 'fill', '--start', '2026-10-31', '--unit', 'hour')).stdout;
  expect(hours).toMatch(/0 \(2026-10-31 00:00\) +3 \(2026-10-31 03:00\) .*Dig$/m);
});

test('[IO6] operations of a file and ends of grants accept days', async () => {
  const path = join(tmpdir(), `taskgraph-days-${process.pid}.yaml`);
  const write = (time: string) => writeFile(path, `- node:add: { title: Ship, dueDate: ${time} }\n`);
  await write('2026-02-30');
  const refused = await runIn('Asia/Tokyo', 'apply', path);
  expect([refused.code, refused.stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining(':1: "dueDate" names a day that does not exist'),
  ]);
  await write(DAY);
  expect((await runIn('Asia/Tokyo', 'apply', path)).code).toBe(0);
  await home.run(['ls']);
  expect(await dueOf('America/Los_Angeles', 'Ship')).toBe(DAY);
  // A grant ends with the day in its owner's time zone.
  const { stdout } = await runIn('America/Los_Angeles', '--json', 'share', 'ship', emailOf('bob'), '--until', DAY);
  expect(JSON.parse(stdout).access[0].after.due).toBe('2026-12-25T07:59:59.000Z');
  expect((await runIn('America/Los_Angeles', 'share', 'ship')).stdout).toContain('2026-12-24 23:59:59');
});

test.each(['2026-02-30', '2026-13-01', '2026-12-24T24:61', '12', 'tomorrow'])(
  '[IO6] --due, --until and --start reject %s',
  async (time) => {
    for (const words of [
      ['add', 'x', '--due', time],
      ['share', '01985f0e-0000-7000-8000-000000000001', emailOf('bob'), '--until', time],
      ['plan', '--start', time, '--unit', 'day'],
    ]) {
      const { code, stderr } = await home.run(words);
      expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(`"${time}" `)]);
    }
  },
);
