// The tables of limits in the documents hold what the table in the code does.
import { readFileSync } from 'node:fs';
import { LIMITS, variableOf } from '@taskgraph/commands/rate-limits';
import { expect, test } from 'vitest';

const rowsOf = (document: string, begin: string) => {
  const text = readFileSync(new URL(`../../../../docs/${document}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.startsWith(begin));
};

test('[LIM1] docs/limits.md has each limit, its numbers, whose calls it counts, and its variable', () => {
  const rows = rowsOf('limits.md', '| `').filter((row) => row.includes('LIMIT_'));
  expect(rows).toEqual(
    LIMITS.map(({ name, points, seconds, scopes }) => {
      return `| \`${name}\` | ${points} | ${seconds} | ${scopes.join(', ')} | \`${variableOf(name)}\` |`;
    }),
  );
});

test('docs/configuration.md has the variable of each limit with its default', () => {
  const rows = rowsOf('configuration.md', '| `LIMIT_');
  const documented = rows.map((row) => [/`(LIMIT_\w+)`/.exec(row)?.[1], /`(\d+\/\d+)` \|$/.exec(row)?.[1]]);
  expect(documented).toEqual(LIMITS.map(({ name, points, seconds }) => [variableOf(name), `${points}/${seconds}`]));
});
