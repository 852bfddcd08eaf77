// The words of others on a terminal, and in a pipe to one: they are read, and steer nothing.
import { expect, test } from 'vitest';
import { outputTo } from './output.ts';
import { cleaned, paintOf } from './paint.ts';

const { bold, cyan, dim, green, red, yellow } = paintOf(true);

/** The output of a process whose streams are terminals or not, and what it wrote. */
function outputOf(isTTY: boolean) {
  const written: string[] = [];
  const sink = { isTTY, write: (text: string) => written.push(text) };
  const output = outputTo({ stdout: sink, stderr: sink, isInteractive: false, hasColours: () => isTTY });
  return { output, written };
}

test.each([
  ['a title of a window', '\u001b]0;owned\u0007', ' ]0;owned '],
  ['a cleared screen', 'a\u001b[2Jb', 'a [2Jb'],
  ['the same by one character of the upper controls', 'a\u009b2Jb', 'a 2Jb'],
  ['a return to the beginning of the line', 'a\rb\bc', 'a b c'],
  ['a line of its own', 'a\nb\u2028c\u2029d\u0085e\u000bf', 'a b c d e f'],
  ['another direction', 'a\u202eb\u2066c\u200fd\u061ce', 'a b c d e'],
  ['a colour that nobody could read', 'a\u001b[8mb', 'a [8mb'],
  ['a colour that we have too', 'a\u001b[32mb\u001b[39m', 'a [32mb [39m'],
  ['an interlinear note', 'a\ufff9b\ufffbc\u206ed', 'a b c d'],
])('%s is no order to a terminal, and none in a pipe', (_what, text, shown) => {
  expect(cleaned(text)).toBe(shown);
  for (const isTTY of [true, false]) {
    const { output, written } = outputOf(isTTY);
    output.line(text);
    output.note(text);
    const dimmed = isTTY ? `\u001b[2m${shown}\u001b[22m` : shown;
    expect(written).toEqual([`${shown}\n`, `${dimmed}\n`]);
  }
});

test('our own colours stay', () => {
  const { output, written } = outputOf(true);
  output.line([bold('a'), dim('b'), red('c'), green('d'), yellow('e'), cyan('f')].join(' '));
  expect(written).toEqual([
    '\u001b[1ma\u001b[22m \u001b[2mb\u001b[22m \u001b[31mc\u001b[39m \u001b[32md\u001b[39m \u001b[33me\u001b[39m \u001b[36mf\u001b[39m\n',
  ]);
});

test('JSON has all, as escapes', () => {
  for (const isTTY of [true, false]) {
    const { output, written } = outputOf(isTTY);
    const value = { title: 'a\u001b[2J\u009b\u007f\u202e\u2028\u200e\u061c\n字' };
    output.json(value, 2);
    expect(written.join('')).toMatch(/^[\n\x20-\x7e字]+$/);
    expect(JSON.parse(written.join(''))).toEqual(value);
  }
});

test('a file goes into a pipe as it is, and steers no terminal', () => {
  const [piped, seen] = [outputOf(false), outputOf(true)];
  for (const { output } of [piped, seen]) output.text('a,"b\u001b[2J\tc"\r\nd');
  expect([piped.written, seen.written]).toEqual([['a,"b\u001b[2J\tc"\r\nd\n'], ['a,"b [2J\tc" \nd\n']]);
});

test('a failure has lines, each of which steers nothing', () => {
  const { output, written } = outputOf(false);
  output.error('error: a\u001b[2J\n  b\rc');
  expect(written).toEqual(['error: a [2J\n  b c\n']);
});
