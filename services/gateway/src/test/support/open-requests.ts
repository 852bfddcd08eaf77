// Requests of REST for tests that are about something else: none of them is too many or too long.
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
