// Makes docs/api/openapi.json from the declarations of calls and routes. The gateway serves that file.
import { limitsOf } from '@taskgraph/commands/rate-limits';
import type { AccountCall } from '@taskgraph/wire/calls/account-call';
import { ACCOUNT_ROUTES } from '@taskgraph/wire/calls/account-routes';
import { health, refusal } from '@taskgraph/wire/calls/answers';
import { type Call, type ErrorName, errorsOf, errorsOfRoute } from '@taskgraph/wire/calls/call';
import { CALLS } from '@taskgraph/wire/calls/calls';
import { fieldsOf, type JsonSchema, payloadSchema } from '@taskgraph/wire/calls/payload-schema';
import type { z } from 'zod';
import type { Examples } from './examples.ts';
import { linksOf } from './links.ts';
import { HEADERS, limitHeaders, PARAMETERS, refusalsOf, SECURITY_SCHEMES, SHARED_RESPONSES } from './openapi-parts.ts';
import { referenceTo, schemasFor } from './schemas.ts';
import { describeCall, describeRoute, identifierOf, LICENSE, TAGS, TITLE, tagOf, VERSION_NOTE } from './words.ts';

const DESCRIPTION = `A service that stores tasks as nodes and their dependencies as links. Every change is pushed live as a diff, over sockets
(\`/asyncapi.json\`). ${VERSION_NOTE}

A mutation is answered after it is committed. Sent again under the same \`Idempotency-Key\` it gives the first answer. Every answer has \`ok\` and a
\`trace_id\`, and says in \`RateLimit-*\` how many calls are left.`;

interface Described {
  readonly name: string;
  readonly route: Pick<AccountCall, 'rest' | 'summary'>;
  readonly description: string;
  readonly payload: z.ZodObject | null;
  /** Fields that no query string can hold. */
  readonly onlyInBody: readonly string[];
  readonly answer: AccountCall['answer'];
  readonly errors: readonly ErrorName[];
  readonly security: readonly JsonSchema[];
  /** Beside the fields. */
  readonly parameters: readonly string[];
  readonly headers: readonly string[];
}

/** The document, as text. */
export function openapiDocument(version: string, examples: Examples): string {
  const paths: Record<string, Record<string, unknown>> = {};
  const put = (method: string, path: string, operation: unknown) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const described of [...Object.values<Call>(CALLS).map(ofCall), ...Object.values(ACCOUNT_ROUTES).map(ofRoute)]) {
    const { method, path, alsoPost } = described.route.rest;
    put(method, path, operationOf(described, method, examples));
    if (alsoPost) put('POST', path, operationOf(described, 'POST', examples));
  }
  put('GET', '/api/health', healthOperation(examples));
  const document = {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: DESCRIPTION, license: LICENSE },
    servers: [{ url: '/', description: 'The service that this document comes from.' }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemasFor([paths, SHARED_RESPONSES]),
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: SHARED_RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const EITHER = [{ token: [] }, { session: [] }];

function ofCall(call: Call): Described {
  const isPage = call.event === 'graph:get' || call.event === 'branch:get';
  return {
    ...{ name: call.event, route: call, description: describeCall(call, limitsOf('rest', call.event)) },
    ...{
      payload: call.payload,
      onlyInBody: call.onlyInBody ?? [],
      answer: call.answer,
      errors: errorsOf(call, 'rest'),
    },
    security: call.anonymous ? [{}, ...EITHER] : EITHER,
    parameters: [
      'Traceparent',
      ...(call.kind === 'command' ? ['IdempotencyKey', 'DryRun'] : []),
      ...(isPage ? ['IfNoneMatch'] : []),
    ],
    headers: isPage ? ['ETag'] : [],
  };
}

const OF_BROWSERS = ['login', 'logout', 'register:verify', 'password:reset', 'oidc:login', 'oidc:callback'];

function ofRoute(route: AccountCall): Described {
  const { name, caller, payload, answer } = route;
  return {
    ...{ name, route, description: describeRoute(route, limitsOf('rest', name)), payload, onlyInBody: [], answer },
    errors: errorsOfRoute(route),
    security: caller === 'anybody' ? [{}] : caller === 'session' ? [{ session: [] }, { sessionToken: [] }] : EITHER,
    parameters: ['Traceparent'],
    headers: [
      ...(OF_BROWSERS.includes(name) ? ['Set-Cookie'] : []),
      ...(typeof answer === 'number' ? ['Location'] : []),
    ],
  };
}

function operationOf(described: Described, method: string, examples: Examples): JsonSchema {
  const { name, route, payload, security, errors } = described;
  const isPost = method !== route.rest.method;
  const inBody = method === 'POST' || method === 'PUT';
  const example = examples.calls[name];
  const fields = payload === null || inBody ? [] : queryOf(payload, described.onlyInBody, example?.payload);
  return {
    operationId: identifierOf(name) + (isPost ? 'ByPost' : ''),
    tags: [tagOf(name)],
    summary: route.summary,
    description: described.description,
    security,
    parameters: [...fields, ...described.parameters.map((part) => ({ $ref: `#/components/parameters/${part}` }))],
    ...(payload !== null && inBody ? { requestBody: bodyOf({ payload, errors }, example?.payload) } : {}),
    responses: { ...successOf(described, example?.answer), ...refusalsOf(errors, examples.refusals) },
  };
}

function queryOf(
  payload: z.ZodObject,
  onlyInBody: readonly string[],
  example: Record<string, unknown> | undefined,
): JsonSchema[] {
  const { properties = {}, required = [] } = payloadSchema(payload) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const inQuery = Object.entries(properties).filter(([name]) => !onlyInBody.includes(name));
  return inQuery.map(([name, { description, ...schema }]) => ({
    ...{ name, in: 'query', required: required.includes(name) },
    ...(description === undefined ? {} : { description }),
    schema: withinUrl(schema),
    ...(example?.[name] === undefined ? {} : { example: example[name] }),
  }));
}

/** A request's line and headers have 16 KiB together, and no answer tells a client that they were too long: what is longer goes by POST. */
const QUERY_TEXT_LENGTH = 7_000;

/** A field as a query has it: of several forms those that are texts alone. */
function withinUrl(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf)) {
    const texts = (schema.anyOf as JsonSchema[]).filter(({ type }) => type !== 'object');
    return texts.length === 1 ? { ...texts[0] } : { ...schema, anyOf: texts };
  }
  return typeof schema.maxLength === 'number' && schema.maxLength > QUERY_TEXT_LENGTH
    ? { ...schema, maxLength: QUERY_TEXT_LENGTH }
    : schema;
}

function bodyOf(call: Pick<Described, 'errors'> & { payload: z.ZodObject }, example: unknown): JsonSchema {
  const schema = fieldsOf(call);
  const shown = example === undefined ? {} : { example };
  return { required: schema.required !== undefined, content: { 'application/json': { schema, ...shown } } };
}

function successOf({ name, answer, headers }: Described, example: unknown): JsonSchema {
  const all = limitHeaders(headers);
  if (answer === 302 || answer === 303) {
    const refused = { 'application/json': { schema: referenceTo(refusal) } };
    return {
      [answer]: { description: 'A redirect.', headers: all },
      default: { description: 'A refusal that no other status names.', content: refused },
    };
  }
  if (answer === 'document') {
    const document = { 'text/html': { schema: { type: 'string' } } };
    return { 200: { description: 'The page.', headers: all, content: document } };
  }
  if (example === undefined)
    throw new Error(`docs/api/examples.json has no example of ${name}: run \`npm run docs:examples\``);
  const done = {
    description: 'It was done.',
    headers: all,
    content: { 'application/json': { schema: referenceTo(answer as z.ZodType), example } },
    ...linksOf(name),
  };
  const unchanged = { 304: { description: 'The page would say what the client has.', headers: all } };
  return headers.includes('ETag') ? { 200: done, ...unchanged } : { 200: done };
}

function healthOperation(examples: Examples): JsonSchema {
  return {
    operationId: 'health',
    tags: ['Service'],
    summary: 'Tells whether the service is up.',
    description:
      '**Needs:** Nothing: everybody may call it.\n\n**Limits:** 120 in a minute and 10,000 in an hour of an address.',
    security: [{}],
    responses: {
      200: {
        description: 'It is up.',
        headers: limitHeaders([]),
        content: { 'application/json': { schema: referenceTo(health), example: examples.calls.health?.answer } },
      },
      ...refusalsOf(['forbidden.origin', 'rate_limited', 'internal', 'internal.exception'], examples.refusals),
    },
  };
}
