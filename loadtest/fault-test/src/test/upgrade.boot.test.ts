// The upgrade from the previous release to this tree and back, once. `npm run test:upgrade` repeats it in
// random orders.
import { expect, test } from 'vitest';
import { figuresOf, reportUpgrade } from '../upgrade/report.ts';
import { runUpgrade } from '../upgrade/upgrade.ts';

const LIMIT_MS = 900_000;

test('[EVT4, GEN8] a rolling upgrade and its rollback lose no write and no diff, and a failed migration stops before', {
  timeout: LIMIT_MS,
}, async () => {
  const notes: string[] = [];
  const outcome = await runUpgrade({ seed: 1, durationMs: 0, note: (line) => void notes.push(line) });
  expect(outcome.anomalies, `${notes.join('\n')}\n${reportUpgrade(outcome)}`).toEqual([]);
  expect(outcome.rolls.map(({ to }) => to)).toEqual(['this', 'previous']);
  // Without a new step there is no migration that could fail.
  if (outcome.steps.length > 0) expect(outcome.breakdown?.step).toBeGreaterThan(0);
  const { requests, pushes } = figuresOf(outcome);
  expect(Math.min(requests, pushes, outcome.repeated)).toBeGreaterThan(0);
});
