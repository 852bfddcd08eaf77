// A request does not count as open while it waits for a change.
import { expect, test } from 'vitest';
import { createOpenRequests } from './open-requests.ts';

const BOUNDS = { requestsOfAddress: 1, requests: 2, bodyBytes: 100, answerBytes: 100, readingMs: 1_000 };

test('[LONG2 LIM4] a paused request leaves its place to others, and takes it again', () => {
  const requests = createOpenRequests(BOUNDS);
  const { request } = requests.begin('10.0.0.1');
  expect(request.keepBody(80)).toBeNull();
  const resume = request.pause();
  expect([requests.open(), requests.bodyBytes()]).toEqual([0, 0]);
  const other = requests.begin('10.0.0.1');
  expect(other.refusal).toBeNull();
  expect(other.request.keepBody(100)).toBeNull();
  resume();
  resume();
  expect(requests.open()).toBe(2);
  expect(requests.begin('10.0.0.1').refusal).toMatchObject({ code: 'rate_limited' });
  for (const each of [request, other.request]) each.end();
  expect([requests.open(), requests.bodyBytes()]).toEqual([1, 0]);
});

test('[LONG2] a paused request that ends frees nothing twice', () => {
  const requests = createOpenRequests(BOUNDS);
  const { request } = requests.begin('10.0.0.1');
  const resume = request.pause();
  request.end();
  resume();
  request.end();
  expect([requests.open(), requests.bodyBytes()]).toEqual([0, 0]);
  expect(requests.begin('10.0.0.1').refusal).toBeNull();
});
