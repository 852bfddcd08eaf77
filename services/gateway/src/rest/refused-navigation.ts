// The answer to a person whose navigation was refused: the sign-in form of the console, which says why.
// Other requests get it as JSON. Rule: CON43.
import type { Operation } from '@taskgraph/wire/operations/operation';
import type { CallAnswer } from '../http/answer.ts';

const PATH = '/signin';
const HTML = /\btext\/html\b/i;
/** An internal error, whose answer has the trace id that the reader is to report. */
const INTERNAL_ERROR = 500;

interface Navigation {
  readonly operation: Pick<Operation, 'answer'>;
  /** The header Accept: browsers name HTML in it when a person follows a link or a redirect. */
  readonly accept: string;
  /** Whether the service has a file at this path. */
  readonly hasFile: (path: string) => boolean;
}

/**
 * The redirect for a refused operation that otherwise redirects too. Its address is one of this service,
 * and has nothing of the request: only the code, in the fragment.
 */
export function withSignInPage(answer: CallAnswer, { operation, accept, hasFile }: Navigation): CallAnswer {
  const { body, status } = answer;
  const isRedirect = operation.answer === 302 || operation.answer === 303;
  if (body.ok || status === INTERNAL_ERROR || !isRedirect || !HTML.test(accept) || !hasFile(PATH)) return answer;
  const location = `${PATH}#refused=${encodeURIComponent(body.error)}`;
  return { ...answer, status: 303, observedStatus: status, headers: { ...answer.headers, Location: location } };
}
