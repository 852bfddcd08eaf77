// The tables of limits in the documents equal the table in the code.
import { readFileSync } from 'node:fs';
import { LIMITS, variableOf } from '@taskgraph/commands/rate-limits';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { expect, test } from 'vitest';

const rowsOf = (document: string, begin: string) => {
  const text = readFileSync(new URL(`../../../../docs/${document}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.startsWith(begin));
};

test('[LIM1] docs/limits.md has each limit, its numbers, whose calls it counts, and its variable', () => {
  const rows = rowsOf('limits.md', '| `').filter((row) => row.includes('LIMIT_'));
  expect(rows).toEqual(
    LIMITS.map(({ name, points, seconds, subjects }) => {
      return `| \`${name}\` | ${points} | ${seconds} | ${subjects.join(', ')} | \`${variableOf(name)}\` |`;
    }),
  );
});

test('docs/configuration.md has the variable of each limit with its default', () => {
  const rows = rowsOf('configuration.md', '| `LIMIT_');
  const documented = rows.map((row) => [/`(LIMIT_\w+)`/.exec(row)?.[1], /`(\d+\/\d+)` \|$/.exec(row)?.[1]]);
  expect(documented).toEqual(LIMITS.map(({ name, points, seconds }) => [variableOf(name), `${points}/${seconds}`]));
});

/** The cells of the tables below a heading, up to the next of its rank. */
function tablesBelow(heading: string): string[][] {
  const text = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');
  const [section = ''] = text.slice(text.indexOf(`\n${heading}\n`) + heading.length + 2).split('\n## ');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| What') && !line.startsWith('| Call'))
    .map((line) => line.slice(2, -2).split(' | '));
}

test('[LIM5] docs/limits.md names the bound on the work of each call', () => {
  const told = new Set(tablesBelow('## Work of one call').map(([call = '']) => call.replaceAll('`', '')));
  expect(socketOperations.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([]);
});

test('[LIM5] the constants that it names exist in the named files, with the given numbers', () => {
  const named = tablesBelow('## Work of one call').flatMap((cells) => {
    const place = cells.findIndex((cell) => /^`\w+` in `[\w/.-]+`$/.test(cell));
    const [, name = '', path = ''] = /^`(\w+)` in `(.*)`$/.exec(cells[place] ?? '') ?? [];
    return place < 0 ? [] : [{ name, path, number: /^[\d,]+/.exec(cells[place - 1] ?? '')?.[0] }];
  });
  expect(named.length).toBeGreaterThan(40);
  for (const { name, path, number } of named) {
    const text = readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
    const at = text.search(new RegExp(`\\b${name}\\b\\s*[:=]`));
    expect({ name, path, isThere: at >= 0 }).toMatchObject({ isThere: true });
    const written = number?.replaceAll(',', '_') ?? '';
    // `1 MiB` and `a quarter` are written as products.
    const has =
      number === '1' ||
      text
        .slice(at, at + 200)
        .replace(/(?<=\D)(\d)(\d{3})(?=\D)/g, '$1_$2')
        .includes(written);
    expect({ name, path, written, has }).toMatchObject({ has: true });
  }
});
