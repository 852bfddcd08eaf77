// The parts of OpenAPI that many operations share: headers, parameters, security schemes and refusals.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { BOUNDS } from '@taskgraph/wire/fields';
import { refusal } from '@taskgraph/wire/operations/answers';
import { type ErrorName, errorsOf, type Operation } from '@taskgraph/wire/operations/operation';
import type { JsonSchema } from '@taskgraph/wire/operations/payload-schema';
import { referenceTo } from './schemas.ts';
import { codesByStatus, describeCodes } from './words.ts';

const count = { type: 'integer', minimum: 0, format: 'int64' };

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'RateLimit-Limit': { description: 'The number of calls that the strictest current limit allows.', schema: count },
  'RateLimit-Remaining': { description: 'The number of remaining calls.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until all calls are available again.', schema: count },
  'Retry-After': { description: 'Seconds until the call can be sent again.', schema: count },
  ETag: {
    description: "Identifies the page's content, without its `trace_id`. Send it as `If-None-Match`.",
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: 'Present if an earlier call with the same key had this answer: the command was not executed again.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Taskgraph-User': {
    description: 'The id of the user who made the read; absent for readers without an account.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Set-Cookie': {
    description: 'The session of a browser, and the mark of a known device.',
    schema: { type: 'string' },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated, as `@` and the seconds since 1970 (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: {
    description: 'When the operation may be removed, as an HTTP date (RFC 8594).',
    schema: { type: 'string' },
  },
  Location: { description: 'The address at which the browser continues.', schema: { type: 'string', format: 'uri' } },
};

export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A repeated key gets the first answer, and the command is not executed twice. A key is for one command.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: BOUNDS.idempotencyKey },
  },
  DryRun: {
    name: 'dryRun',
    in: 'query',
    description:
      'Only decides the command and reports who would gain or lose sight. The body may contain it instead. It takes no key.',
    required: false,
    schema: { type: 'boolean' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: "The `ETag` of the client's page: the answer is 304 if the page is unchanged.",
    required: false,
    schema: { type: 'string' },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'The trace of the call, by W3C Trace Context; its id becomes the `trace_id`.',
    required: false,
    schema: { type: 'string' },
  },
};

export const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = {
  token: { type: 'http', scheme: 'bearer', description: 'An API token or a session: `Authorization: Bearer TOKEN`.' },
  sessionToken: { type: 'http', scheme: 'bearer', description: 'A session from `POST /api/login`.' },
  browserSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-taskgraph_session',
    description: 'The session of a browser. A change must name its page by `Origin` or `Sec-Fetch-Site`.',
  },
};

/** References to headers. */
export function headersNamed(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const WAIT: readonly number[] = [429, 503];

/** The shared response of each status, and a sentence about it. */
const SHARED: Readonly<Record<number, readonly [name: string, about: string]>> = {
  400: ['BadRequest', 'The request is malformed, or no state of the service could permit it.'],
  401: ['Unauthorized', 'The call has no valid token.'],
  403: ['Forbidden', 'The caller may not make this call.'],
  404: ['NotFound', 'The named entity does not exist, or the caller may not learn that it exists.'],
  409: ['Conflict', 'The present state does not permit the call.'],
  413: ['TooLarge', 'The request or its effect is too large.'],
  429: ['RateLimited', 'A limit is reached.'],
  500: ['Internal', 'The service failed.'],
  503: ['Unavailable', 'The service cannot answer now.'],
};
const REFUSED = 'Refused';

const WAIT_HEADERS = headersNamed(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']);

/**
 * The refusals of all operations, one response for each status, which explains its codes. Few
 * headers are described: generators make code for each header of each response of each operation.
 */
export function sharedResponses(
  operations: readonly Operation[],
  examples: Readonly<Record<string, unknown>>,
): Record<string, JsonSchema> {
  const byStatus = codesByStatus([...new Set(operations.flatMap((operation) => errorsOf(operation, 'rest')))]);
  const responses = Object.entries(SHARED).map(([key, [name, about]]) => {
    const status = Number(key);
    const codes = byStatus.get(status) ?? [];
    const shown = codes.filter((code) => examples[code] !== undefined).map((code) => [code, { value: examples[code] }]);
    const headers = WAIT.includes(status) ? { headers: WAIT_HEADERS } : {};
    return [
      name,
      responseOf(`${about}\n\n${describeCodes(codes)}`, { ...headers, examples: Object.fromEntries(shown) }),
    ];
  });
  const other = responseOf('A refusal with another status.', { examples: {} });
  return { ...Object.fromEntries(responses), [REFUSED]: other };
}

/** References to the responses of these codes, by status. */
export function refusalsOf(codes: readonly ErrorName[]): Record<string, JsonSchema> {
  const statuses = [...codesByStatus(codes).keys()];
  return Object.fromEntries(statuses.map((status) => [status, referenceToResponse(SHARED[status]?.[0])]));
}

export const OTHER_REFUSAL = referenceToResponse(REFUSED);

function referenceToResponse(name: string | undefined): JsonSchema {
  if (name === undefined) throw new Error('a status of refusals has no shared response in openapi-parts.ts');
  return { $ref: `#/components/responses/${name}` };
}

function responseOf(
  description: string,
  { headers, examples }: { readonly headers?: JsonSchema; readonly examples: JsonSchema },
): JsonSchema {
  const shown = Object.keys(examples).length > 0 ? { examples } : {};
  return {
    description,
    ...definedFields({ headers }),
    content: { 'application/json': { schema: referenceTo(refusal), ...shown } },
  };
}
