// The bounds of surveys, with surveys that the test ends.
import type { SurveyResult } from '@taskgraph/bus/requests/status';
import { expect, test } from 'vitest';
import { createSharedSurvey } from './shared-survey.ts';

const PROCESS = '01985f17-c6a0-7a11-8f42-e6078a9bc3dc';

function setUp() {
  const clock = { ms: 0 };
  const started: (string | null)[] = [];
  const ends: { resolve: (result: SurveyResult) => void; reject: (error: Error) => void }[] = [];
  const survey = createSharedSurvey(
    (process) => {
      started.push(process);
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
    () => clock.ms,
  );
  return { clock, started, ends, survey };
}

test('[ADMIN3] calls share the running survey of all services, and its result for a second', async () => {
  const { clock, started, ends, survey } = setUp();
  const result = { replies: [], truncated: false };
  const calls = [survey(null), survey(null)];
  clock.ms = 5_000;
  calls.push(survey(null));
  expect(started).toEqual([null]);
  ends[0]?.resolve(result);
  for (const call of calls) expect(await call).toBe(result);
  clock.ms = 5_999;
  expect(await survey(null)).toBe(result);
  clock.ms = 6_000;
  void survey(null);
  expect(started).toEqual([null, null]);
});

test('[ADMIN3] a survey that failed is not shared', async () => {
  const { started, ends, survey } = setUp();
  const failing = survey(null);
  ends[0]?.reject(new Error('the connection is closed'));
  await expect(failing).rejects.toThrow('closed');
  void survey(null);
  expect(started).toEqual([null, null]);
});

test('[ADMIN4] beyond two surveys of one process, further ones are refused at once', async () => {
  const { started, ends, survey } = setUp();
  const first = survey(PROCESS);
  void survey(PROCESS);
  expect(await survey(PROCESS)).toMatchObject({ code: 'unavailable' });
  expect(started).toEqual([PROCESS, PROCESS]);
  ends[0]?.reject(new Error('the connection is closed'));
  await expect(first).rejects.toThrow('closed');
  void survey(PROCESS);
  expect(started).toHaveLength(3);
});
