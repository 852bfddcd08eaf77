// The parts of OpenAPI that many operations share: headers, parameters, security schemes and refusals.
import { BOUNDS } from '@taskgraph/wire/fields';
import { refusal } from '@taskgraph/wire/operations/answers';
import type { ErrorName } from '@taskgraph/wire/operations/operation';
import type { JsonSchema } from '@taskgraph/wire/operations/payload-schema';
import { referenceTo } from './schemas.ts';
import { codesByStatus, describeCodes } from './words.ts';

const count = { type: 'integer', minimum: 0 };

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
  'Set-Cookie': {
    description: 'The session of a browser, and the mark of a known device.',
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
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-taskgraph_session',
    description: 'The session of a browser. A change must name its page by `Origin` or `Sec-Fetch-Site`.',
  },
};

const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** References to the headers of every answer, and to the given ones. */
export function limitHeaders(more: readonly string[]): JsonSchema {
  return Object.fromEntries([...limits, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const WAIT: readonly number[] = [429, 503];

/** Statuses with the same codes for every operation. */
const SHARED: Readonly<Record<number, string>> = { 401: 'Unauthorized', 429: 'RateLimited', 503: 'Unavailable' };

/** The refusals of every operation, without examples. */
export const SHARED_RESPONSES = Object.fromEntries(
  (
    [
      ['Unauthorized', 401, ['unauthorized']],
      ['RateLimited', 429, ['rate_limited']],
      ['Unavailable', 503, ['unavailable']],
    ] as const
  ).map(([name, status, codes]) => [name, responseOf(status, codes, {})]),
);

/** The responses of these codes, by status. `examples`: bodies by code. */
export function refusalsOf(codes: readonly ErrorName[], examples: Readonly<Record<string, unknown>>): JsonSchema {
  const responses = [...codesByStatus(codes)].map(([status, some]) => {
    const shared = SHARED[status];
    return [
      status,
      shared === undefined ? responseOf(status, some, examples) : { $ref: `#/components/responses/${shared}` },
    ];
  });
  return Object.fromEntries(responses);
}

function responseOf(
  status: number,
  codes: readonly ErrorName[],
  examples: Readonly<Record<string, unknown>>,
): JsonSchema {
  const shown = codes.filter((code) => examples[code] !== undefined).map((code) => [code, { value: examples[code] }]);
  const content = {
    schema: referenceTo(refusal),
    ...(shown.length > 0 ? { examples: Object.fromEntries(shown) } : {}),
  };
  return {
    description: describeCodes(codes),
    headers: limitHeaders(WAIT.includes(status) ? ['Retry-After'] : []),
    content: { 'application/json': content },
  };
}
