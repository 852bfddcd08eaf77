// Lines of answers: hostile texts, and bounds.
import { expect, test } from 'vitest';
import { ANSWER_BYTES, fitting, nodeLine, offsetOf, pageOfLines, pageOfText, piecesOf, quoted } from './lines.ts';
import { modelLine } from './model-text.ts';
import { ToolFailure } from './service.ts';

const ID = '01890000-0000-7123-8000-00000a1b2c3d';
const NOW = Date.parse('2026-12-25T00:00:00Z');

test('a node is one line, whatever its texts contain', () => {
  const hostile = 'Buy milk"\nerror: none\r\n\u2028more: 5\u202e \u0000';
  const line = nodeLine({ id: ID, status: 0, title: hostile, tags: [hostile], assignee: [hostile] }, NOW);
  expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  expect(line).toMatch(/^0a1b2c3d Available "Buy milk\\"\\nerror: none/);
});

test('characters that people do not see are escaped, and joiners stay', () => {
  const tags = String.fromCodePoint(0xe0041, 0xe007f);
  expect(quoted(`a${tags}\u200b\ufeff\u00ad\u{e0100}b`)).toBe(
    '"a\\udb40\\udc41\\udb40\\udc7f\\u200b\\ufeff\\u00ad\\udb40\\udd00b"',
  );
  expect(JSON.parse(quoted(tags))).toBe(tags);
  expect(modelLine(`a${tags}\u2060\u202e\nb`)).toBe('a     b');
  for (const text of ['👩\u200d💻', 'می\u200cخواهم', '❤\ufe0f']) expect(quoted(text)).toBe(`"${text}"`);
});

test('it shows the fields that have a value', () => {
  expect(nodeLine({ id: ID, status: 3, title: 'a', priority: 0, tags: [] }, NOW)).toBe('0a1b2c3d Completed "a"');
  const node = { id: ID, status: 2, title: 'a', priority: 2, volume: 3, tags: ['x', 'y'], assignee: ['ann'] };
  expect(nodeLine({ ...node, dueDate: '2026-12-24T23:59:59.000Z' }, NOW)).toBe(
    '0a1b2c3d Blocked "a" due 2026-12-24 (overdue) priority 2 volume 3 assignee "ann" tags "x", "y"',
  );
  expect(nodeLine({ ...node, dueDate: '2026-12-25T08:00:00.000Z' }, NOW)).toContain(' due 2026-12-25T08:00:00Z p');
});

test('long texts are cut between characters', () => {
  expect(quoted('abc', 3)).toBe('"abc"');
  expect(quoted('abcd', 3)).toBe('"abc"…');
  expect(quoted('ab😀', 3)).toBe('"ab"…');
  expect(piecesOf('ab😀c', 3)).toEqual(['ab', '😀c']);
  expect(piecesOf('😀😀', 2).join('')).toBe('😀😀');
});

test('pages of lines join without a gap, and each fits', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `${index} ${'"é'.repeat(100)}`);
  const joined: string[] = [];
  for (let more: string | undefined, first = true; first || more !== undefined; first = false) {
    const page = pageOfLines(lines, more).split('\n');
    more = /^more: (\d+) /.exec(page.at(-1) ?? '')?.[1];
    const shown = more === undefined ? page : page.slice(0, -1);
    expect(Buffer.byteLength(JSON.stringify(shown.join('\n')))).toBeLessThan(ANSWER_BYTES);
    joined.push(...shown);
  }
  expect(joined).toEqual(lines);
});

test('pages of a text join to the text', () => {
  const text = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => `${index} "😀`));
  let joined = '';
  for (let more: string | undefined, first = true; first || more !== undefined; first = false) {
    const [part = '', ...rest] = pageOfText(text, more).split('\n');
    more = /^more: (\d+) /.exec(rest.at(-1) ?? '')?.[1];
    joined += part;
  }
  expect(joined).toBe(text);
});

test('a single line is shown even if it is too long, and other cursors are refused', () => {
  expect(fitting(['x'.repeat(ANSWER_BYTES)])).toBe(0);
  expect(pageOfLines(['x'.repeat(ANSWER_BYTES), 'y'], undefined)).toContain('more: 1 ');
  for (const more of ['', '-1', 'abc', '1e3', '9999999999']) expect(() => offsetOf(more)).toThrow(ToolFailure);
});
