// The words of others on a terminal: they are read, and steer nothing.
import colors from 'picocolors';
import { expect, test } from 'vitest';
import { printable, unsteered } from './output.ts';

const { bold, cyan, dim, green, red, yellow } = colors.createColors(true);

test.each([
  ['a title of a window', '\u001b]0;owned\u0007', ' ]0;owned '],
  ['a cleared screen', 'a\u001b[2Jb', 'a [2Jb'],
  ['the same by one character of the upper controls', 'a\u009b2Jb', 'a 2Jb'],
  ['a return to the beginning of the line', 'a\rb\bc', 'a b c'],
  ['another direction', 'a\u202eb\u2066c', 'a b c'],
  ['a colour that nobody could read', 'a\u001b[8mb', 'a [8mb'],
])('%s is no order to a terminal', (_what, text, shown) => {
  expect([unsteered(text), printable(text)]).toEqual([shown, shown]);
});

test('our own colours, line breaks and tabs stay', () => {
  const painted = [bold('a'), dim('b'), red('c'), green('d'), yellow('e'), cyan('f')].join('\n\t');
  expect(unsteered(painted)).toBe(painted);
});
