// Open requests without bounds, for tests of other subjects.
import { createOpenRequests } from '../../http/open-requests.ts';

const MANY = Number.MAX_SAFE_INTEGER;

export const anyRequests = () =>
  createOpenRequests({
    requestsOfAddress: MANY,
    requests: MANY,
    bodyBytes: MANY,
    answerBytes: MANY,
    readingMs: 60_000,
  });
