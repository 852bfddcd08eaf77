// Suggestions for words. Hostile titles never become values or extra lines.
import { runs } from '@taskgraph/testkit/runs';
import { Command } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutput } from '../output/output.ts';
import { createProgram } from '../program.ts';
import { graphWith } from '../test/support/graphs.ts';
import { suggestionsFor } from './suggestions.ts';

const sink = { write: () => undefined };
const output = createOutput({ stdout: sink, stderr: sink, isInteractive: false, hasColours: () => false });
const program = createProgram({ output, environment: {}, args: [] });
const graph = graphWith([{ title: 'Water the plants' }, { title: 'Go live' }, { title: '花に水' }]);
const offered = (...words: string[]) => suggestionsFor(program, { words, graph }).map(({ value }) => value);

test.each<[words: string[], values: string[]]>([
  [['sh'], ['show', 'share']],
  [['show', 'wat'], ['water-the-plants']],
  [['link', 'go-live', 'wat'], ['water-the-plants']],
  [['link', 'go-live', 'water-the-plants', 'wat'], []],
  [['done', 'go-live', 'wat'], ['water-the-plants']],
  [['add', 'Roses', '--u'], ['--under']],
  [['add', 'Roses', '--under', 'wat'], ['water-the-plants']],
  [['add', 'Roses', '--under=wat'], ['water-the-plants']],
  [['add', 'Roses', '--under', '=', 'wat'], ['water-the-plants']],
  [['add', '--due', '2026-12-24', 'wat'], []],
  [['ls', '--js'], ['--json']],
  [['ls', '--ov'], ['--overdue']],
  [['ls', '--sort', 'pr'], ['priority']],
  [['ls', '--sort=ti'], ['title']],
  [['--profile', 'work', 'show', 'go'], ['go-live']],
  [['--profile', 'w'], []],
  [['nothing', 'w'], []],
  [['import', 'w'], []],
])('for the words %j', (words, values) => {
  expect(offered(...words)).toEqual(values);
});

test('a node is suggested by its short id, and by its title if that consists of ASCII letters', () => {
  expect(suggestionsFor(program, { words: ['show', ''], graph }).map(({ description }) => description)).toEqual([
    'Water the plants',
    'Water the plants',
    'Go live',
    'Go live',
    '花に水',
  ]);
});

test('without a graph no nodes are suggested', () => {
  expect(suggestionsFor(program, { words: ['show', ''], graph: null })).toEqual([]);
});

test('the last nodes of a large graph are suggested too, and no list has more than 1,000', () => {
  const large = graphWith(Array.from({ length: 3_000 }, (_, index) => ({ title: `Task ${index}` })));
  const of = (word: string) => suggestionsFor(program, { words: ['show', word], graph: large });
  expect(of('task-2999').map(({ value }) => value)).toEqual(['task-2999']);
  expect(of('')).toHaveLength(1_000);
});

test('with any titles, values consist of letters, digits and hyphens, and descriptions of one line', () => {
  const chosen = new Command('x').addCommand(new Command('y').argument('<node>').option('--z <node>'));
  const property = fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 9 }), (titles) => {
    const hostile = graphWith(titles.map((title) => ({ title })));
    for (const words of [
      ['y', ''],
      ['y', '--z', ''],
      ['y', '--z='],
    ]) {
      for (const { value, description } of suggestionsFor(chosen, { words, graph: hostile })) {
        expect(value).toMatch(/^[A-Za-z0-9-]+$/);
        expect(description).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      }
    }
  });
  fc.assert(property, { numRuns: runs(50) });
});
