// The level that each call declares is the one that the access table works out from the rules.
import type { Call } from '@taskgraph/wire/calls/call';
import { CALLS } from '@taskgraph/wire/calls/calls';
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

const declared = Object.values<Call>(CALLS).filter(({ level }) => level.least !== null);

test.each(declared.map((call) => [call.event, call] as const))('[ACL1] %s takes what it declares', (event, call) => {
  const leasts = leastsInTable(event);
  expect(leasts).toContain(call.level.least);
  // Owners of the link or the grant may do with less, and the sentence says so.
  const less = leasts.filter((level) => LEVELS.indexOf(level) > LEVELS.indexOf(call.level.least as Level));
  if (less.length > 0) expect(call.level.say).toMatch(/\b(its owner|own grant)\b/i);
});

test('[ACL1] calls without one least level say what they take', () => {
  const others = Object.values<Call>(CALLS).filter(({ level }) => level.least === null);
  for (const { event, level } of others) expect(level.say.length, event).toBeGreaterThan(10);
  expect(declared.length).toBeGreaterThan(others.length);
});
