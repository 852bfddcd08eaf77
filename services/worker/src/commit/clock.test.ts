// A clock of a machine beside that of a database, both moved by the test.
import { expect, test } from 'vitest';
import { createClock } from './clock.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

function setUp() {
  const machine = { ms: NOW };
  const database = { ms: NOW, isAway: false };
  const lines: string[] = [];
  const note = (_fields: object, text: string) => void lines.push(text);
  const clock = createClock({
    databaseMs: async () => {
      if (database.isAway) throw new Error('away');
      return database.ms;
    },
    machineMs: () => machine.ms,
    log: { warn: note, info: note } as Parameters<typeof createClock>[0]['log'],
  });
  return { machine, database, lines, clock };
}

test.each([HOUR_MS, -HOUR_MS])(
  "[HIS7] a worker whose clock is wrong by %i ms uses the database's clock, and reports that once",
  async (byMs) => {
    const { machine, lines, clock } = setUp();
    machine.ms = NOW + byMs;
    await clock.compare();
    await clock.compare();
    expect(Math.abs(clock.nowMs() - NOW)).toBeLessThan(1_000);
    expect(Math.abs(clock.aheadMs() - byMs)).toBeLessThan(1_000);
    expect(lines).toEqual(["this machine's clock is wrong; the database's clock is used"]);
    machine.ms = NOW;
    await clock.compare();
    expect(clock.nowMs()).toBe(NOW);
    expect(lines).toHaveLength(2);
  },
);

test('a small difference changes nothing, so that repeated measurements are stable', async () => {
  const { machine, clock } = setUp();
  machine.ms = NOW + 300;
  await clock.compare();
  expect(clock.nowMs()).toBe(NOW + 300);
});

test('the known offset stays while the database is unavailable', async () => {
  const { machine, database, clock } = setUp();
  machine.ms = NOW + HOUR_MS;
  await clock.compare();
  database.isAway = true;
  await clock.compare();
  expect(Math.abs(clock.nowMs() - NOW)).toBeLessThan(1_000);
});

test('[HISX2] a worker starts only after a comparison', async () => {
  const { machine, database, clock } = setUp();
  machine.ms = NOW + HOUR_MS;
  database.isAway = true;
  let isStarted = false;
  const starting = clock.start().then(() => {
    isStarted = true;
  });
  await clock.compare();
  expect(isStarted).toBe(false);
  database.isAway = false;
  await starting;
  expect(Math.abs(clock.nowMs() - NOW)).toBeLessThan(1_000);
});
