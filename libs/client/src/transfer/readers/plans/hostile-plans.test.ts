// Mutated and hostile plans: reading is bounded, fails only with a refusal, and reports what it
// does not read.
import { describe, expect, test } from 'vitest';
import { PLAN_SAMPLES } from '../../../test/support/plan-samples.ts';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { type ImportFormat, readFile } from '../../formats.ts';

/** Numbers from 0 to 1 by a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PIECES = [
  '',
  '"',
  '<',
  '>',
  '&',
  '\n',
  ' ',
  '0',
  '-1',
  '999999999999',
  ':',
  '{',
  '}',
  '[',
  ']',
  ',',
  '*a',
  '\0',
  '\uD800',
];

function mutated(text: string, random: () => number): string {
  const at = (length: number) => Math.floor(random() * (length + 1));
  let result = text;
  for (let count = 1 + at(3); count > 0; count--) {
    const start = at(result.length);
    const end = Math.min(result.length, start + at(random() < 0.5 ? 3 : 60));
    const copied = at(result.length);
    const piece = random() < 0.5 ? (PIECES[at(PIECES.length - 1)] ?? '') : result.slice(copied, copied + at(60));
    result = result.slice(0, start) + piece + result.slice(end);
  }
  return result;
}

describe.each(PLAN_SAMPLES)('[IO2] $format', ({ format, text }) => {
  test('2,000 mutated files are read or refused', () => {
    const random = randomNumbers(format.length * 7919);
    let read = 0;
    for (let count = 0; count < 2_000; count++) {
      const file = mutated(text, random);
      // Any other error than a refusal fails the test.
      if (refusalOf(file, format) === 'it was accepted') read++;
    }
    expect(read).toBeGreaterThan(20);
    expect(read).toBeLessThan(2_000);
  });

  test('a byte order mark and Windows line ends change nothing', () => {
    expect(readFile(`\uFEFF${text.replaceAll('\n', '\r\n')}`, format)).toEqual(readFile(text, format));
  });

  test('a file that ends early is read or refused', () => {
    for (let length = 0; length < text.length; length += 7) refusalOf(text.slice(0, length), format);
    expect(refusalOf('', format)).not.toBe('it was accepted');
  });
});

/** The names of elements inside of which an unknown element or attribute is not reported by name. */
function silentElements(format: ImportFormat, text: string): string[] {
  const reports = (changed: string) => JSON.stringify(readFile(changed, format).leftOut);
  const tags = [...text.matchAll(/<([A-Za-z-]+)\b[^<>]*?(\/?)>/g)];
  const silent = tags.flatMap(({ index, 0: tag, 1: name = '', 2: closed }) => {
    const end = index + tag.length;
    const start = text.slice(0, end - 1 - (closed?.length ?? 0));
    const withAttribute = `${start} newThing="1"${closed}>${text.slice(end)}`;
    const withElement = `${text.slice(0, end)}<newThing>1</newThing>${text.slice(end)}`;
    const changes = closed === '/' ? [withAttribute] : [withAttribute, withElement];
    return changes.every((changed) => reports(changed).includes('newThing')) ? [] : [name];
  });
  return [...new Set(silent)].sort();
}

test('[IO9] ganttproject: an unknown element or attribute is reported wherever something is read', () => {
  const text = PLAN_SAMPLES.find(({ format }) => format === 'ganttproject')?.text ?? '';
  // All of them are reported as a whole, or only describe the view.
  expect(silentElements('ganttproject', text)).toEqual([
    'calendars',
    'customproperty',
    'day-types',
    'field',
    'previous',
    'roles',
    'vacations',
    'view',
  ]);
});

test('[IO9] msproject: an unknown element or attribute is reported wherever something is read', () => {
  const text = PLAN_SAMPLES.find(({ format }) => format === 'msproject')?.text ?? '';
  // All of them are reported as a whole, or repeat what other elements say: Name is that of the
  // file, and UID that of an assignment.
  expect(silentElements('msproject', text)).toEqual([
    'EmailAddress',
    'ID',
    'LagFormat',
    'LinkLag',
    'Name',
    'SaveVersion',
    'Start',
    'StartDate',
    'Summary',
    'Title',
    'UID',
    'Units',
  ]);
});

/** The paths of all objects of a JSON value. */
function pathsOf(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

test('[IO9] trello: an unknown field is reported in every object that is read', () => {
  const text = PLAN_SAMPLES.find(({ format }) => format === 'trello')?.text ?? '';
  const paths = pathsOf(JSON.parse(text)).filter(([first]) => first !== 'prefs' && first !== 'actions');
  const silent = paths.filter((path) => {
    const board = JSON.parse(text);
    let object = board;
    for (const step of path) object = object[step];
    object.newThing = 1;
    return !JSON.stringify(readFile(JSON.stringify(board), 'trello').leftOut).includes('newThing');
  });
  // Attachments, archived cards and what is in them are reported as a whole.
  expect(silent.map((path) => path.join('.'))).toEqual([
    'cards.0.attachments.0',
    'cards.2',
    'cards.3',
    'checklists.1',
    'checklists.1.checkItems.0',
  ]);
});

test('[IO9] icalendar: an unknown property is reported in every component that is read', () => {
  const text = PLAN_SAMPLES.find(({ format }) => format === 'icalendar')?.text ?? '';
  for (const name of ['VCALENDAR', 'VTODO']) {
    const changed = text.replaceAll(`BEGIN:${name}\n`, `BEGIN:${name}\nX-NEW-THING;A=b:1\n`);
    const found = readFile(changed, 'icalendar').leftOut.find(({ what }) => what.includes('X-NEW-THING'));
    expect([name, found?.count]).toEqual([name, name === 'VTODO' ? 3 : 1]);
  }
  const unknown = text.replaceAll('VEVENT', 'X-THING');
  expect(readFile(unknown, 'icalendar').leftOut.map(({ what }) => what)).toContain('the component "X-THING"');
});

describe('[IO2] plans that would use too much memory or time are refused', () => {
  const gantt = (tasks: string) => `<project name=""><tasks>${tasks}</tasks></project>`;
  const project = (tasks: string) => `<Project><Tasks>${tasks}</Tasks></Project>`;
  const calendar = (tasks: string) => `BEGIN:VCALENDAR\n${tasks}END:VCALENDAR\n`;
  const numbered = (count: number, of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => of(index)).join('');
  test.each<[what: string, format: ImportFormat, text: () => string, message: string]>([
    [
      'too many tasks',
      'ganttproject',
      () => gantt(numbered(50_001, (id) => `<task id="${id}"/>`)),
      'more than 50000 tasks',
    ],
    [
      'tasks too deep',
      'ganttproject',
      () => gantt(numbered(70, (id) => `<task id="${id}">`) + '</task>'.repeat(70)),
      'a task is inside more than 64 others',
    ],
    [
      'an outline too deep',
      'msproject',
      () => project(numbered(70, (id) => `<Task><UID>${id}</UID><OutlineLevel>${id}</OutlineLevel></Task>`)),
      'a task is below more than 64 others',
    ],
    [
      'too many links',
      'msproject',
      () =>
        project(
          `<Task><UID>0</UID></Task><Task><UID>1</UID>${'<PredecessorLink><PredecessorUID>0</PredecessorUID></PredecessorLink>'.repeat(200_001)}</Task>`,
        ),
      'it has more than 200000 links',
    ],
    ['too many lines', 'icalendar', () => calendar('\n'.repeat(2_000_001)), 'it has more than 2000000 lines'],
    [
      'components too deep',
      'icalendar',
      () => calendar('BEGIN:VTODO\n'.repeat(100)),
      'nested more than 10 levels deep',
    ],
    [
      'too many parameters',
      'icalendar',
      () => calendar(`BEGIN:VTODO\nSUMMARY${numbered(1_000, (index) => `;A${index}=1`)}:x\nEND:VTODO\n`),
      'a property has more than 100 parameters',
    ],
    [
      'too many links in a calendar',
      'icalendar',
      () => calendar(`BEGIN:VTODO\nUID:a\n${'RELATED-TO:a\n'.repeat(200_001)}END:VTODO\n`),
      'it has more than 200000 links',
    ],
    [
      'a long document in YAML',
      'github-actions',
      () => `jobs:\n${'  #\n'.repeat(200_000)}`,
      'more than 524288 characters',
    ],
    ['deep lists in YAML', 'github-actions', () => '['.repeat(500_000), 'it is not valid YAML: nesting exceeded'],
    [
      'anchors that multiply values',
      'github-actions',
      () =>
        `a0: &a0 ['', '']\n${numbered(30, (index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]\n`)}jobs: {}`,
      'it has more than 200000 values',
    ],
    ['an anchor inside itself', 'github-actions', () => 'jobs: &a\n  b: *a\n', 'nested more than 100 levels deep'],
    ['a long configuration', 'turbo', () => `{"tasks":{${' '.repeat(1_100_000)}}}`, 'more than 1048576 characters'],
    ['too many jobs', 'patterson', () => '50001 0\n', 'the number of jobs is above 50000'],
    ['too many demands', 'patterson', () => '50000 1000\n', 'it has more than 5000000 demands on resources'],
    [
      'too many cards',
      'trello',
      () => `{"name":"b","lists":[],"cards":[${'{},'.repeat(200_000)}{}]}`,
      'more than 200000 entries',
    ],
  ])('%s: %s', (_what, format, text, message) => {
    expect(refusalOf(text(), format)).toContain(message);
  });

  test('folded lines and long values take linear time', () => {
    const text = calendar(`BEGIN:VTODO\nUID:a\nSUMMARY:x\nDESCRIPTION:${'\\n\n '.repeat(400_000)}\nEND:VTODO\n`);
    expect(readFile(text, 'icalendar').leftOut.map(({ what }) => what)).toEqual([
      'the end of a description of more than 20000 characters',
    ]);
  });
});
