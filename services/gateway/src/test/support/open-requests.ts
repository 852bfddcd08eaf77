// Open requests without bounds and calls that do not wait, for tests of other subjects.

import { refuse } from '@taskgraph/wire/errors';
import { createOpenRequests } from '../../http/open-requests.ts';
import type { WaitingCalls } from '../../long-poll/waiting-calls.ts';
import { createTokenWatch } from '../../realtime/token-watch.ts';

const MANY = Number.MAX_SAFE_INTEGER;

export const anyRequests = () =>
  createOpenRequests({
    requestsOfAddress: MANY,
    requests: MANY,
    bodyBytes: MANY,
    answerBytes: MANY,
    readingMs: 60_000,
  });

export const withoutWaiting: Pick<WaitingCalls, 'waitAfter' | 'answer'> = {
  waitAfter: () => null,
  answer: () => Promise.reject(new Error('no call waits')),
};

/** Tokens that do not end. */
export const lastingTokens = createTokenWatch({
  askWorkers: async () => refuse('unavailable', 'Away.'),
  forget: () => undefined,
  log: { warn: () => undefined, error: () => undefined },
});
