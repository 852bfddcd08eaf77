// Titles with control characters and line breaks in the output of offline commands: in a terminal,
// in a pipe, as JSON and in failures.
import { onOneLine } from '@taskgraph/client/transfer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, openHome } from './support/home.ts';
import { idOf, writeOfflineCopy } from './support/offline-copy.ts';

const HOSTILE = [
  'Go\u001b]2;owned\u0007\u001b[2J\u001b[Hlive',
  'Go\n\u001b[32mCompleted\u001b[39m  000003  Pay\r\nthem',
  'Go\u009b2J\u0085C1\u007f\u0000',
  'Go \u202eevil\u2066\u2069\u200f\u061c\u200e',
  'Go\u2028line\u2029paragraph\u000b\u000c',
  'Go\u001b[8mhidden\u001b[1mbold',
] as const;

const VARIABLES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME'] as const;
const before = VARIABLES.map((name) => [name, process.env[name]] as const);
let [hostile, plain]: [Home?, Home?] = [];
beforeAll(async () => {
  const account = { TASKGRAPH_URL: 'http://127.0.0.1:9', TASKGRAPH_TOKEN: 'tg_nobody' };
  const homeOf = async (textOf: (text: string) => string) => {
    const home = await openHome(account);
    const nodes = HOSTILE.map((text, index) => ({
      id: idOf(index + 1),
      title: textOf(text),
      tags: [textOf(text)],
      assignee: [textOf(text)],
      ownerEmail: textOf(text),
      status: index === 0 ? 2 : 0,
    }));
    const links = [2, 3].map((source) => ({ id: idOf(100 + source), source: idOf(source), target: idOf(1) }));
    await writeOfflineCopy(home.environment, { nodes, links });
    return home;
  };
  [plain, hostile] = [await homeOf(onOneLine), await homeOf(String)];
});
afterAll(async () => {
  await Promise.all([hostile?.remove(), plain?.remove()]);
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

const COMMANDS: readonly { readonly words: readonly string[] }[] = [
  ['ls'],
  ['tree'],
  ['show', '000001'],
  ['ready'],
  ['blocked'],
  ['search', 'go'],
  ['open', '000002'],
  // Failures that name titles.
  ['show', 'go'],
  ['show', HOSTILE[1].slice(0, 9)],
  ['unlink', '000002', '000003'],
  ['ls', '--status', HOSTILE[0]],
  ['import', HOSTILE[1]],
  ['export', '--format', HOSTILE[2]],
  [HOSTILE[0]],
  ['ls', `--${HOSTILE[3]}`],
].map((words) => ({ words }));
const OUR_COLOUR = /\p{Cc}\[(?:1|2|22|3[1-6]|39)m/gu;
const coloursOf = (text: string) => [...(text.match(OUR_COLOUR) ?? [])].sort();
const CONTROL = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe.each([false, true])('titles of other users, in a terminal: %s', (terminal) => {
  test.each(COMMANDS)('contain no control characters and begin no line: $words', async ({ words }) => {
    const given = ['--offline', ...words];
    const [actual, expected] = [
      await hostile?.run(given, { terminal }),
      await plain?.run(given.map(onOneLine), { terminal }),
    ];
    expect(actual?.code).toBe(expected?.code);
    for (const stream of ['stdout', 'stderr'] as const) {
      const [text, plainText] = [actual?.[stream] ?? '', expected?.[stream] ?? ''];
      expect(terminal ? text.replaceAll(OUR_COLOUR, '') : text).not.toMatch(CONTROL);
      // As many lines and colours as if the titles were plain.
      expect(text.split('\n').length).toBe(plainText.split('\n').length);
      expect(coloursOf(text)).toEqual(coloursOf(plainText));
    }
  });

  test('JSON keeps the titles, in escapes', async () => {
    const { stdout = '' } = (await hostile?.run(['--offline', '--json', 'ls'], { terminal })) ?? {};
    expect(stdout).not.toMatch(CONTROL);
    const titles = (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title);
    expect(titles.sort()).toEqual([...HOSTILE].sort());
  });

  const files = ['taskgraph', 'github', 'taskwarrior', 'vikunja', 'mermaid', 'dot'];
  // A pipe gets these formats unchanged.
  const exact = ['csv', 'todoist', 'icalendar'];
  test.each(terminal ? [...files, ...exact] : files)('an export as %s', async (format) => {
    const { stdout = '' } = (await hostile?.run(['--offline', 'export', '--format', format], { terminal })) ?? {};
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(CONTROL);
  });
});
