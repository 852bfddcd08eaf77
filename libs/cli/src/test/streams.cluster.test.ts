// The streams of the built program: closed pipes, full disks and standard input.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome, PROGRAM } from './support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

let home: Home;
let environment: Record<string, string>;
beforeAll(async () => {
  home = await openHome();
  environment = { ...home.environment, TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('streams')) };
});
afterAll(() => home?.remove());

interface Streams {
  /** The standard input of the program. */
  readonly input?: string;
  /** The file for its results, in place of a pipe. */
  readonly output?: string;
  /** Whether the reader closes the pipe after the first bytes. */
  readonly closesEarly?: boolean;
}

async function start(words: readonly string[], { input = '', output, closesEarly = false }: Streams = {}) {
  const file = output === undefined ? undefined : openSync(output, 'w');
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', file ?? 'pipe', 'pipe'],
  });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout.push(chunk.toString());
    if (closesEarly) child.stdout?.destroy();
  });
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  // A program that does not read closes its end.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (file !== undefined) closeSync(file);
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

test('[IO5] a full disk ends a command with a message and an exit code', async () => {
  for (const words of [['--help'], ['ls'], ['ls', '--json']]) {
    const { code, stderr } = await start(words, { output: '/dev/full' });
    expect([words, code]).toEqual([words, EXIT.failed]);
    expect(stderr).toMatch(
      /^error: The output can't be written: ENOSPC.*\n {2}Changes that the command made are kept\.\n$/,
    );
  }
});

test('[IO5] a reader that closes the pipe is not a failure', async () => {
  const input = ['title', ...Array.from({ length: 300 }, (_, at) => `${'x'.repeat(1_000)} ${at}`)].join('\n');
  expect(await start(['import', '-', '--format', 'csv'], { input })).toMatchObject({ code: 0 });
  const { code, stderr } = await start(['ls', '--json'], { closesEarly: true });
  expect([code, stderr]).toEqual([0, '']);
});

test('[IO4 IO5] an import reads standard input, creates its tasks once, and can be undone', async () => {
  const input = 'title,status\nFrom a pipe,Available\n';
  const first = await start(['--json', 'import', '-', '--format', 'csv'], { input });
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(JSON.parse(first.stdout)).toMatchObject({ file: '-', nodes: 1, there: 0 });
  const again = await start(['--json', 'import', '-', '--format', 'csv'], { input });
  expect(JSON.parse(again.stdout)).toMatchObject({ there: 1 });
  // Another content is another file, without a note on the earlier one.
  const other = await start(['import', '-', '--format', 'csv'], { input: 'title\nAnother\n' });
  expect([other.code, other.stderr]).toEqual([0, '']);
  expect(await start(['import', '-', '--format', 'csv', '--undo'], { input })).toMatchObject({ code: 0 });
  const twice = await start(['import', '-', '-'], { input });
  expect([twice.code, twice.stderr]).toEqual([EXIT.usage, expect.stringContaining('can be read once')]);
});
