// Open requests without bounds and calls that do not wait, for tests of other subjects.
import { createOpenRequests } from '../../http/open-requests.ts';
import type { WaitingCalls } from '../../long-poll/waiting-calls.ts';

const MANY = Number.MAX_SAFE_INTEGER;

export const anyRequests = () =>
  createOpenRequests({
    requestsOfAddress: MANY,
    requests: MANY,
    bodyBytes: MANY,
    answerBytes: MANY,
    readingMs: 60_000,
  });

export const withoutWaiting: Pick<WaitingCalls, 'answer'> = {
  answer: async ({ read }) => ({ reply: await read(), waitedMs: 0 }),
};
