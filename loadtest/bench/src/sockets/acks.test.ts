import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRefused } from './acks.ts';

test('refusals and answers of the service are distinguished', () => {
  const file = new URL('../../../../docs/api/examples.json', import.meta.url);
  const { calls, refusals } = JSON.parse(readFileSync(file, 'utf8')) as {
    calls: Record<string, { answer: object }>;
    refusals: Record<string, object>;
  };
  const answers = Object.values(calls).map(({ answer }) => answer);
  expect(answers.filter((answer) => isRefused(JSON.stringify([answer])))).toEqual([]);
  const bodies = Object.values(refusals);
  expect(bodies.filter((body) => isRefused(JSON.stringify([body])))).toEqual(bodies);
});
