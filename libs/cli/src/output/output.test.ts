// Other users' texts in a terminal or a pipe: they stay readable and control nothing.
import { expect, test } from 'vitest';
import { createOutput } from './output.ts';
import { createPaint, sanitize } from './paint.ts';

const { bold, cyan, dim, green, red, yellow } = createPaint(true);

/** An output whose streams are terminals or pipes, and the texts that it wrote. */
function outputOf(isTTY: boolean) {
  const written: string[] = [];
  const sink = { isTTY, write: (text: string) => written.push(text) };
  const output = createOutput({ stdout: sink, stderr: sink, isInteractive: false, hasColours: () => isTTY });
  return { output, written };
}

test.each([
  ['a window title', '\u001b]0;owned\u0007', ' ]0;owned '],
  ['a cleared screen', 'a\u001b[2Jb', 'a [2Jb'],
  ['a cleared screen by a C1 control character', 'a\u009b2Jb', 'a 2Jb'],
  ['a return to the beginning of the line', 'a\rb\bc', 'a b c'],
  ['line breaks', 'a\nb\u2028c\u2029d\u0085e\u000bf', 'a b c d e f'],
  ['a change of direction', 'a\u202eb\u2066c\u200fd\u061ce', 'a b c d e'],
  ['hidden text', 'a\u001b[8mb', 'a [8mb'],
  ['a colour of ours', 'a\u001b[32mb\u001b[39m', 'a [32mb [39m'],
  ['an interlinear note', 'a\ufff9b\ufffbc\u206ed', 'a b c d'],
])('%s has no effect in a terminal or a pipe', (_what, text, shown) => {
  expect(sanitize(text)).toBe(shown);
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

test('JSON keeps all characters, as escapes', () => {
  for (const isTTY of [true, false]) {
    const { output, written } = outputOf(isTTY);
    const value = { title: 'a\u001b[2J\u009b\u007f\u202e\u2028\u200e\u061c\n字' };
    output.json(value, 2);
    expect(written.join('')).toMatch(/^[\n\x20-\x7e字]+$/);
    expect(JSON.parse(written.join(''))).toEqual(value);
  }
});

test('a file goes unchanged into a pipe, and without control characters to a terminal', () => {
  const [piped, seen] = [outputOf(false), outputOf(true)];
  for (const { output } of [piped, seen]) output.text('a,"b\u001b[2J\tc"\r\nd');
  expect([piped.written, seen.written]).toEqual([['a,"b\u001b[2J\tc"\r\nd\n'], ['a,"b [2J\tc" \nd\n']]);
});

test('the lines of a failure contain no control characters', () => {
  const { output, written } = outputOf(false);
  output.error('error: a\u001b[2J\n  b\rc');
  expect(written).toEqual(['error: a [2J\n  b c\n']);
});
