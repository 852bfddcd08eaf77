// The access table, decided in memory: every case except reads, which the database decides.
import { ann, bob, createScenario, type Scenario } from '@taskgraph/commands/test/support/scenario';
import type { ActingUser } from '@taskgraph/wire/actor';
import { expect, test } from 'vitest';
import { COLUMNS, type Column, makeFixture, type People, type Person, SECRET } from './support/access-fixture.ts';
import { isRead, outcomeIn, type Row, TABLE, wantedOf } from './support/access-table.ts';

/** Longer than a fixture takes by a scenario's clock, which goes on with each command. */
const SOON_MS = 60_000;

function personIn(scenario: Scenario, user: ActingUser): Person {
  return {
    email: user.email,
    async call(event, payload) {
      const { error, details, diff } = scenario.run(event, payload, user);
      const body = error === null ? { ok: true, diff } : { ok: false, error, details };
      return { status: null, body, text: JSON.stringify(body) };
    },
  };
}

/** The code of the refusal, or null, in a graph of its own. */
async function decide(row: Row, column: Column): Promise<string | null> {
  const scenario = createScenario();
  const owner = personIn(scenario, ann);
  const caller = column === 'owner' ? owner : personIn(scenario, bob);
  const soon = () => new Date(scenario.nowMs() + SOON_MS).toISOString();
  const people: People = { owner, caller, guest: 'guest@example.com', soon };
  const fixture = await makeFixture(column, row.steps, people);
  const until = column === 'expired' ? SOON_MS : 0;
  for (const endMs = scenario.nowMs() + until; scenario.nowMs() < endMs; ) scenario.run('node:add', {});
  const { body, text } = await caller.call(row.event, row.payload(fixture));
  if (!body.ok && text.includes(SECRET)) return `${body.error} and tells a title`;
  return body.ok ? null : (body.error ?? '');
}

test.each(TABLE.filter((row) => !isRead(row)))('[ACL1 GEN7] $title in memory', async (row) => {
  const columns = COLUMNS.filter((column) => outcomeIn(row, column) !== '-');
  const found = await Promise.all(columns.map(async (column) => [column, await decide(row, column)]));
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(columns.map((column) => [column, wantedOf(row, column)])),
  );
});
