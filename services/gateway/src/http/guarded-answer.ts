// Answers that are sent only while the token of their caller is valid. Rule: AUTH2.
import { type AnswerGuard, type CallAnswer, contentOf, type Headers } from './answer.ts';

/** Guards an answer, unless it says nothing: a call may end its own token. */
export function withGuard(answer: CallAnswer, guard: AnswerGuard | null): CallAnswer {
  return guard === null || isBare(answer) ? answer : { ...answer, guard };
}

/** Whether an answer has no data of the user. Failures of the service and refused tokens have none. */
function isBare(answer: CallAnswer): boolean {
  const { status, body, page, file, content, json, compressed } = answer;
  if (answer.later !== undefined) return false;
  if (status === 401 || status >= 500) return true;
  const hasMore = [page, file, content, json, compressed].some((part) => part !== undefined);
  return status === 200 && !hasMore && Object.keys(body).every((name) => name === 'ok' || name === 'trace_id');
}

/** The answer, or what takes its place. The limits have counted the call in any case (LIM2). */
export async function applyGuard(answer: CallAnswer): Promise<CallAnswer> {
  const instead = (await answer.guard?.check()) ?? null;
  if (instead === null) return answer;
  const headers = { ...limitHeaders(answer.headers), ...instead.headers };
  return { ...instead, headers, content: contentOf(instead) };
}

function limitHeaders(headers: Headers = {}): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('RateLimit-')));
}
