// The declared level of each operation on the graph equals the one that the access table derives
// from the rules.
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { expect, test } from 'vitest';
import type { Column } from './support/access-fixture.ts';
import { outcomeIn, TABLE } from './support/access-table.ts';

const LEVELS = ['owner', 'admin', 'editor', 'viewer'] as const;
/** The ways to have a level on the node of a case. */
const BY: Readonly<Record<(typeof LEVELS)[number], readonly Column[]>> = {
  owner: ['owner'],
  admin: ['admin', 'branch admin'],
  editor: ['editor', 'branch editor'],
  viewer: ['viewer', 'branch viewer'],
};

type Level = (typeof LEVELS)[number];

/**
 * The least level that may, row by row: what a call does may hang on where the node is, or on whose
 * link or grant it is.
 */
function leastsInTable(event: string): Level[] {
  const rows = TABLE.filter((row) => row.event === event);
  const leasts = rows.map((row) =>
    LEVELS.findLast((level) => BY[level].some((column) => outcomeIn(row, column) === '+')),
  );
  return leasts.filter((level) => level !== undefined);
}

const declared = socketOperations.filter(({ level }) => level.least !== null);

test.each(declared)('[ACL1] $name accepts its declared level', ({ name, level }) => {
  const leasts = leastsInTable(name);
  expect(leasts).toContain(level.least);
  // Owners of the link or the grant may do with less, and the sentence says so.
  const less = leasts.filter((one) => LEVELS.indexOf(one) > LEVELS.indexOf(level.least as Level));
  if (less.length > 0) expect(level.say).toMatch(/\b(its owner|own grant)\b/i);
});

test('[ACL1] calls without one minimum level declare their levels', () => {
  const others = socketOperations.filter(({ level }) => level.least === null);
  for (const { name, level } of others) expect(level.say.length, name).toBeGreaterThan(10);
  expect(declared.length).toBeGreaterThan(others.length);
});
