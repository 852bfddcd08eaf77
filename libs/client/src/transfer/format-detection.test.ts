// Tests of the detected format of a file, and of the description of unknown files.
import { expect, test } from 'vitest';
import { describeUnknownFile, formatOf } from './format-detection.ts';

test.each([
  [
    'plan.gan',
    '<?xml version="1.0"?><project name="x" view-date="2026-01-01" gantt-divider-location="300">',
    'a plan of GanttProject',
  ],
  [
    'plan.xml',
    '<?xml version="1.0"?><Project xmlns="http://schemas.microsoft.com/project">',
    'a plan of Microsoft Project in XML',
  ],
  ['a.opml', '<opml version="2.0">', 'a document in XML or HTML'],
  [
    'turbo.json',
    '{"$schema":"https://turbo.build/schema.json","tasks":{"build":{}}}',
    'the configuration of a program: an object of JSON with "$schema", "tasks"',
  ],
  [
    'package.json',
    '{"name":"x","dependencies":{}}',
    'the description of a package: an object of JSON with "name", "dependencies"',
  ],
  [
    'board.json',
    '{"id":"1","cards":[{"id":1}],"lists":[],"checklists":[]}',
    'a board of Trello: an object of JSON with "id", "cards", "lists", "checklists"',
  ],
  ['a.json', '[{"a":1,"b":{"number":1,"title":"x"}}]', 'a list of objects of JSON with "a", "b"'],
  ['a.json', '[]', 'an empty list'],
  ['a.json', '[1,2]', 'JSON without tasks'],
  ['a.ics', 'BEGIN:VCALENDAR\r\n', 'a calendar (iCalendar), which can be exported and not imported'],
  ['list', '# List\n- [ ] a\n', 'a list of tasks in Markdown: rename it to .md, or use --format markdown'],
  ['outline', '* NEXT a', 'a file of Org mode: rename it to .org, or use --format org'],
  ['a.yaml', 'operations:', 'a YAML file, which apply reads and import does not'],
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
