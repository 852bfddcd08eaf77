// The answer to a person whose navigation was refused: the form to sign in of the console, which says why.
// Programs get the refusal as JSON. Rule: CON43.
import type { Operation } from '@taskgraph/wire/operations/operation';
import type { CallAnswer } from '../http/answer.ts';

const PATH = '/signin';
const HTML = /\btext\/html\b/i;
/** A fault of the service. Its answer has the trace id, which the person is to report. */
const FAILURE = 500;

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
  if (body.ok || status === FAILURE || !isRedirect || !HTML.test(accept) || !hasFile(PATH)) return answer;
  const location = `${PATH}#refused=${encodeURIComponent(body.error)}`;
  return { ...answer, status: 303, observedStatus: status, headers: { ...answer.headers, Location: location } };
}
