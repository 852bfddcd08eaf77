import { expect, test } from 'vitest';
import { schedulesOf } from './runs.ts';

const config = {
  TRASH_RETENTION_DAYS: 30,
  HISTORY_RETENTION_DAYS: 365,
  SWEEP_INTERVAL_MS: 1_000,
  REWRITE_INTERVAL_MS: 2_000,
  RETENTION_INTERVAL_MS: 3_000,
  WEBHOOK_SWEEP_INTERVAL_MS: 500,
};

test('each run has its interval', () => {
  const hourly = { retire: 3_000, trash: 3_000, history: 3_000 };
  expect(schedulesOf(config)).toEqual({ sweep: 1_000, webhooks: 500, rewrite: 2_000, ...hourly });
});

test('[TRS5 HIS8] a retention of 0 days schedules no run', () => {
  expect(schedulesOf({ ...config, TRASH_RETENTION_DAYS: 0 })).not.toHaveProperty('trash');
  expect(schedulesOf({ ...config, HISTORY_RETENTION_DAYS: 0 })).not.toHaveProperty('history');
});
