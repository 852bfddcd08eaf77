import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { expect, test } from 'vitest';
import { createAttemptRegistry } from './attempt-registry.ts';
import type { Job } from './job.ts';

const job = (key: string, id: string, dryRun = false) => ({ key, message: { id }, dryRun }) as Job;
const overtaken = { ok: false, error: 'unavailable', details: { outcome: 'not_done' } };
const refused: Reply = { ok: false, error: 'forbidden', message: '' };
const unchanged: Reply = { ok: true, body: { diff: { batchId: null } } };
const changed: Reply = { ok: true, body: { diff: { batchId: 'b' } } };
const away: Reply = { ok: false, error: 'unavailable', message: '' };

test.each([
  ['refused', refused, true],
  ['answered without changes', unchanged, true],
  ['executed', changed, false],
  ['answered with an unknown outcome', away, false],
] as const)('[GEN8] an attempt that arrives after a later one was %s', async (_, reply, isOvertaken) => {
  const attempts = createAttemptRegistry();
  expect(attempts.begin(job('k', '2'), Promise.resolve(reply))).toBeNull();
  await Promise.resolve();
  await Promise.resolve();
  const earlier = await attempts.begin(job('k', '1'), Promise.resolve(changed));
  if (isOvertaken) expect(earlier).toMatchObject(overtaken);
  else expect(earlier).toBeNull();
  expect(attempts.begin(job('other', '1'), Promise.resolve(changed))).toBeNull();
});

test('[GEN8] an attempt waits for the answer to a later one in progress', async () => {
  const attempts = createAttemptRegistry();
  let answer: (reply: Reply) => void = () => undefined;
  const work = new Promise<Reply>((resolve) => {
    answer = resolve;
  });
  attempts.begin(job('k', '2'), work);
  const [one, other] = ['1', '2'].map((id) => attempts.begin(job('k', id), Promise.resolve(changed)));
  answer(changed);
  expect([await one, await other]).toEqual([null, null]);
});

test.each([
  ['refused', refused, false],
  ['answered without changes', unchanged, false],
  ['refused in a dry run', refused, true],
])('[GEN8] the same attempt gets the same answer if it was %s', async (_, reply, dryRun) => {
  const attempts = createAttemptRegistry();
  attempts.begin(job('k', '1', dryRun), Promise.resolve(reply));
  expect(await attempts.begin(job('k', '1', dryRun), Promise.resolve(changed))).toBe(reply);
});

test('[GEN8] a finished dry run is executed again', async () => {
  const attempts = createAttemptRegistry();
  const made = Promise.resolve(unchanged);
  attempts.begin(job('k', '1', true), made);
  await made;
  expect(attempts.begin(job('k', '1', true), made)).toBeNull();
});

test('[GEN3] a repeated attempt rejected for lack of capacity is certainly not executed', async () => {
  const attempts = createAttemptRegistry(() => 0, 10);
  attempts.begin(job('k', '1'), Promise.resolve(refused));
  expect(await attempts.begin(job('k', '1'), Promise.resolve(changed))).toMatchObject(overtaken);
});

test('[GEN8] an attempt after a refusal is decided again', async () => {
  const attempts = createAttemptRegistry();
  attempts.begin(job('k', '1'), Promise.resolve(refused));
  await Promise.resolve();
  expect(attempts.begin(job('k', '2'), Promise.resolve(changed))).toBeNull();
});

test('attempts are removed after a time, and their number is bounded', async () => {
  let nowMs = 0;
  const attempts = createAttemptRegistry(() => nowMs);
  for (let index = 0; index <= 10_000; index++) attempts.begin(job(`${index}`, '2'), Promise.resolve(refused));
  expect(attempts.begin(job('0', '1'), Promise.resolve(refused))).toBeNull();
  expect(await attempts.begin(job('2', '1'), Promise.resolve(refused))).toMatchObject(overtaken);
  nowMs = 120_001;
  attempts.begin(job('new', '2'), Promise.resolve(refused));
  expect(attempts.begin(job('2', '1'), Promise.resolve(refused))).toBeNull();
});

test('[GEN8 CLAIM4] an attempt that is not decided yet is overtaken by a later one under its key', () => {
  const attempts = createAttemptRegistry();
  const [first, second] = [job('k', '1'), job('k', '2')];
  attempts.begin(first, new Promise(() => undefined));
  expect(attempts.isOvertaken(first)).toBe(false);
  attempts.begin(second, new Promise(() => undefined));
  expect([attempts.isOvertaken(first), attempts.isOvertaken(second)]).toEqual([true, false]);
  expect(attempts.isOvertaken(job('other', '1'))).toBe(false);
});
