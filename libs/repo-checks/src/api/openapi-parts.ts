// The parts of OpenAPI that many operations share: headers, parameters, security schemes and refusals.
import { BOUNDS } from '@taskgraph/wire/fields';
import { refusal } from '@taskgraph/wire/operations/answers';
import type { ErrorName } from '@taskgraph/wire/operations/operation';
import type { JsonSchema } from '@taskgraph/wire/operations/payload-schema';
import { referenceTo } from './schemas.ts';
import { codesByStatus, describeCodes } from './words.ts';

const count = { type: 'integer', minimum: 0 };

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'RateLimit-Limit': { description: 'The calls that the limit allows of which the least is left.', schema: count },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until all are there again.', schema: count },
  'Retry-After': { description: 'Seconds after which the same call can be sent again.', schema: count },
  ETag: {
    description: 'What the page says, all but its `trace_id`. Send it as `If-None-Match`.',
    schema: { type: 'string' },
  },
  'Set-Cookie': {
    description: 'The session of a browser, and the mark of a known device.',
    schema: { type: 'string' },
  },
  Location: { description: 'Where the browser goes on.', schema: { type: 'string', format: 'uri' } },
};

export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key again gives the first answer, and does nothing twice. A key is for one command.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: BOUNDS.idempotencyKey },
  },
  DryRun: {
    name: 'dryRun',
    in: 'query',
    description:
      'Only says what the call would do, and who would gain or lose sight. The body may say so instead. It takes no key.',
    required: false,
    schema: { type: 'boolean' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of a page that the client has: 304 where the page would say the same.',
    required: false,
    schema: { type: 'string' },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'The trace that the call belongs to, by W3C Trace Context; its id becomes the `trace_id`.',
    required: false,
    schema: { type: 'string' },
  },
};

export const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = {
  token: { type: 'http', scheme: 'bearer', description: 'An API token or a session: `Authorization: Bearer TOKEN`.' },
  sessionToken: { type: 'http', scheme: 'bearer', description: 'A session, as `POST /api/login` answers it.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-taskgraph_session',
    description: 'The session of a browser. A change by it must say which page asks: by `Origin` or `Sec-Fetch-Site`.',
  },
};

const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** References to the headers of every answer, and to these. */
export function limitHeaders(more: readonly string[]): JsonSchema {
  return Object.fromEntries([...limits, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const WAIT: readonly number[] = [429, 503];

/** Statuses whose codes are the same for every call. */
const SHARED: Readonly<Record<number, string>> = { 401: 'Unauthorized', 429: 'RateLimited', 503: 'Unavailable' };

/** The refusals that every operation may give, without examples. */
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
