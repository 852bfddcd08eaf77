// Tests of the detected format of a file, and of the description of unknown files.
import { expect, test } from 'vitest';
import { PLAN_SAMPLES } from '../test/support/plan-samples.ts';
import { describeUnknownFile, formatOf } from './format-detection.ts';

test.each([
  ['a.opml', '<opml version="2.0">', 'a document in XML or HTML'],
  [
    'tasks.json',
    '{"$schema":"https://example.org/schema.json","tasks":{"build":{}}}',
    'the configuration of a program: an object of JSON with "$schema", "tasks"',
  ],
  [
    'package.json',
    '{"name":"x","dependencies":{}}',
    'the description of a package: an object of JSON with "name", "dependencies"',
  ],
  ['a.json', '[{"a":1,"b":{"number":1,"title":"x"}}]', 'a list of objects of JSON with "a", "b"'],
  ['a.json', '[]', 'an empty list'],
  ['a.json', '[1,2]', 'JSON without tasks'],
  ['list', '# List\n- [ ] a\n', 'a list of tasks in Markdown: rename it to .md, or use --format markdown'],
  ['outline', '* NEXT a', 'a file of Org mode: rename it to .org, or use --format org'],
  ['a.yaml', 'operations:', 'a YAML file that is no workflow of GitHub Actions'],
  [
    'a.txt',
    'title,due\na,',
    'a text that begins with "title,due", perhaps a table: rename it to .csv, or use --format csv',
  ],
  ['a.txt', ' \n', 'empty'],
])('[IO9] %s with the beginning %j is described as %s', (name, text, seems) => {
  expect(formatOf(text, name)).toBe(null);
  expect(describeUnknownFile(text, name)).toBe(seems);
});

test('[IO9] detection ignores names in texts and in nested objects', () => {
  expect(formatOf('[{"title":"\\"number\\": 1","id":1,"inner":{"number":2,"tasks":[]}}]', 'a.json')).toBe(null);
  expect(formatOf('{"items":[{"id":1,"inner":{"number":1,"title":"x"}}]}', 'a.json')).toBe(null);
  expect(formatOf('{"total_count":1,"items":[{"title":"x","user":{"a":[1]},"number":1}]}', 'a.json')).toBe('github');
});

test.each(PLAN_SAMPLES)(
  '[IO9] $name is read as $format, with and without a byte order mark',
  ({ format, name, text }) => {
    expect([formatOf(text, name), formatOf(`\uFEFF${text}`, name)]).toEqual([format, format]);
  },
);

test('[IO9] the content of a plan decides, unless only its name does', () => {
  const found = PLAN_SAMPLES.map(({ text }) => formatOf(text, 'download'));
  expect(found).toEqual(['ganttproject', 'msproject', 'icalendar', 'trello', null, 'turbo', null, 'psplib']);
  expect(formatOf('jobs:\n  a: {}\n', 'a.yml')).toBe(null);
  expect(formatOf('{"tasks":{"build":{}}}', 'apps/web/turbo.json')).toBe('turbo');
});
