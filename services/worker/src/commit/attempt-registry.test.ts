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
  ['told that nothing had to change', unchanged, true],
  ['done', changed, false],
  ['told that it may be done', away, false],
] as const)('[GEN8] a try that comes after a later one was %s', async (_, reply, isOvertaken) => {
  const attempts = createAttemptRegistry();
  expect(attempts.begin(job('k', '2'), Promise.resolve(reply))).toBeNull();
  await Promise.resolve();
  await Promise.resolve();
  const earlier = await attempts.begin(job('k', '1'), Promise.resolve(changed));
  if (isOvertaken) expect(earlier).toMatchObject(overtaken);
  else expect(earlier).toBeNull();
  expect(attempts.begin(job('other', '1'), Promise.resolve(changed))).toBeNull();
});

test('[GEN8] a try waits for what a later one that is at work is answered', async () => {
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
  ['told that nothing had to change', unchanged, false],
  ['refused in a dry run', refused, true],
])('[GEN8] the same try gets the same answer where it was %s', async (_, reply, dryRun) => {
  const attempts = createAttemptRegistry();
  attempts.begin(job('k', '1', dryRun), Promise.resolve(reply));
  expect(await attempts.begin(job('k', '1', dryRun), Promise.resolve(changed))).toBe(reply);
});

test('[GEN8] the same dry run is made again where it came to an end', async () => {
  const attempts = createAttemptRegistry();
  const made = Promise.resolve(unchanged);
  attempts.begin(job('k', '1', true), made);
  await made;
  expect(attempts.begin(job('k', '1', true), made)).toBeNull();
});

test('[GEN3] a repeat whose answer found no room is certainly not done', async () => {
  const attempts = createAttemptRegistry(() => 0, 10);
  attempts.begin(job('k', '1'), Promise.resolve(refused));
  expect(await attempts.begin(job('k', '1'), Promise.resolve(changed))).toMatchObject(overtaken);
});

test('[GEN8] who asks again after a refusal is judged again', async () => {
  const attempts = createAttemptRegistry();
  attempts.begin(job('k', '1'), Promise.resolve(refused));
  await Promise.resolve();
  expect(attempts.begin(job('k', '2'), Promise.resolve(changed))).toBeNull();
});

test('a try is forgotten in time, and so many are kept at most', async () => {
  let nowMs = 0;
  const attempts = createAttemptRegistry(() => nowMs);
  for (let index = 0; index <= 10_000; index++) attempts.begin(job(`${index}`, '2'), Promise.resolve(refused));
  expect(attempts.begin(job('0', '1'), Promise.resolve(refused))).toBeNull();
  expect(await attempts.begin(job('2', '1'), Promise.resolve(refused))).toMatchObject(overtaken);
  nowMs = 120_001;
  attempts.begin(job('new', '2'), Promise.resolve(refused));
  expect(attempts.begin(job('2', '1'), Promise.resolve(refused))).toBeNull();
});
