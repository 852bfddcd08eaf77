// Creates docs/api/openapi.json from the declarations of operations. The gateway serves that file.

import { limitsOf } from '@taskgraph/commands/rate-limits';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { health, refusal } from '@taskgraph/wire/operations/answers';
import { flatFields } from '@taskgraph/wire/operations/flat-fields';
import { errorsOf, type Operation, type RestRoute } from '@taskgraph/wire/operations/operation';
import { operations } from '@taskgraph/wire/operations/operations';
import { fieldsOf, type JsonSchema, payloadSchema } from '@taskgraph/wire/operations/payload-schema';
import type { z } from 'zod';
import type { Examples } from './examples.ts';
import { linksOf } from './links.ts';
import { HEADERS, limitHeaders, PARAMETERS, refusalsOf, SECURITY_SCHEMES, SHARED_RESPONSES } from './openapi-parts.ts';
import { referenceTo, schemasFor } from './schemas.ts';
import { describeOperation, identifierOf, LICENSE, TAGS, TITLE, tagOf, VERSION_NOTE } from './words.ts';

const DESCRIPTION = `A service that stores tasks as nodes and their dependencies as links. Every change is pushed live as a diff, over sockets
(\`/asyncapi.json\`). ${VERSION_NOTE}

Agents use the tools of the Model Context Protocol at \`POST /mcp\`, with the same tokens.

A mutation is answered after it is committed. Sent again under the same \`Idempotency-Key\` it gives the first answer. Every answer has \`ok\` and a
\`trace_id\`, and says in \`RateLimit-*\` how many calls are left.`;

/** The document, as text. */
export function openapiDocument(version: string, examples: Examples): string {
  const paths: Record<string, Record<string, unknown>> = {};
  const put = (method: string, path: string, operation: unknown) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const operation of operations) {
    const { method, path, alsoPost } = operation.transports.rest;
    put(method, path, pathItemOf(operation, method, examples));
    if (alsoPost) put('POST', path, pathItemOf(operation, 'POST', examples));
  }
  put('GET', '/api/health', healthOperation(examples));
  const document = {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: DESCRIPTION, license: LICENSE },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
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

const SECURITY: Readonly<Record<Operation['caller'], readonly JsonSchema[]>> = {
  anybody: [{}],
  reader: [{}, ...EITHER],
  token: EITHER,
  session: [{ session: [] }, { sessionToken: [] }],
};

/** Answers with an etag. */
const WITH_ETAG = ['node:get', 'graph:get', 'branch:get', 'capabilities'];
/** Operations that set a cookie. */
const OF_BROWSERS = ['login', 'logout', 'register:verify', 'password:reset', 'oidc:login', 'oidc:callback'];

/** The parameters in addition to the fields. */
function parametersOf({ name, kind }: Operation): string[] {
  return [
    'Traceparent',
    ...(kind === 'command' ? ['IdempotencyKey', 'DryRun'] : []),
    ...(WITH_ETAG.includes(name) ? ['IfNoneMatch'] : []),
  ];
}

function headersOf({ name, kind, answer }: Operation): string[] {
  return [
    ...(kind === 'command' ? ['Idempotency-Replayed'] : []),
    ...(WITH_ETAG.includes(name) ? ['ETag'] : []),
    ...(OF_BROWSERS.includes(name) ? ['Set-Cookie'] : []),
    ...(typeof answer === 'number' ? ['Location'] : []),
  ];
}

function pathItemOf(operation: Operation, method: string, examples: Examples): JsonSchema {
  const { name, payload, transports } = operation;
  const isPost = method !== transports.rest.method;
  const inBody = method === 'POST' || method === 'PUT';
  const errors = errorsOf(operation, 'rest');
  const example = examples.calls[name];
  const fields = inBody ? [] : queryOf(payload, transports.rest, example?.payload);
  return {
    operationId: identifierOf(name) + (isPost ? 'ByPost' : ''),
    tags: [tagOf(name)],
    summary: operation.summary,
    description: describeOperation(operation, limitsOf('rest', name)),
    security: SECURITY[operation.caller],
    parameters: [...fields, ...parametersOf(operation).map((part) => ({ $ref: `#/components/parameters/${part}` }))],
    ...(inBody ? { requestBody: bodyOf({ payload, errors }, example?.payload) } : {}),
    responses: { ...successOf(operation, example?.answer), ...refusalsOf(errors, examples.refusals) },
  };
}

function queryOf(
  payload: z.ZodObject,
  { onlyInBody = [], flattened }: RestRoute,
  example: Record<string, unknown> | undefined,
): JsonSchema[] {
  const { properties = {}, required = [] } = payloadSchema(payload) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const members = flattened === undefined ? [] : [...flatFields(payload.shape[flattened])];
  const inQuery = [
    ...Object.entries(properties).filter(([name]) => !onlyInBody.includes(name) && name !== flattened),
    ...members.map(([name, { schema }]) => [name, payloadSchema(schema)] as const),
  ];
  return inQuery.map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...definedFields({ description }),
    // Lists are separated by commas.
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: withinUrl(schema),
    ...(example?.[name] === undefined ? {} : { example: example[name] }),
  }));
}

/**
 * A request's line and headers are limited to 16 KiB, and no answer reports an excess. Longer
 * fields require POST.
 */
const QUERY_TEXT_LENGTH = 7_000;

/** A field in a query. Of several forms, only the texts. */
function withinUrl(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf)) {
    const texts = (schema.anyOf as JsonSchema[]).filter(({ type }) => type !== 'object');
    return texts.length === 1 ? { ...texts[0] } : { ...schema, anyOf: texts };
  }
  return typeof schema.maxLength === 'number' && schema.maxLength > QUERY_TEXT_LENGTH
    ? { ...schema, maxLength: QUERY_TEXT_LENGTH }
    : schema;
}

function bodyOf(call: Parameters<typeof fieldsOf>[0], example: unknown): JsonSchema {
  const schema = fieldsOf(call);
  const shown = example === undefined ? {} : { example };
  return { required: schema.required !== undefined, content: { 'application/json': { schema, ...shown } } };
}

function successOf(operation: Operation, example: unknown): JsonSchema {
  const { name, answer } = operation;
  const headers = headersOf(operation);
  const all = limitHeaders(headers);
  if (answer === 302 || answer === 303) {
    const refused = { 'application/json': { schema: referenceTo(refusal) } };
    return {
      [answer]: { description: 'A redirect.', headers: all },
      default: { description: 'A refusal with another status.', content: refused },
    };
  }
  if (answer === 'document') {
    const document = { 'text/html': { schema: { type: 'string' } } };
    return { 200: { description: 'The page.', headers: all, content: document } };
  }
  if (example === undefined)
    throw new Error(`docs/api/examples.json has no example of ${name}: run \`npm run docs:examples\``);
  const done = {
    description: 'The operation succeeded.',
    headers: all,
    content: { 'application/json': { schema: referenceTo(answer as z.ZodType), example } },
    ...linksOf(name),
  };
  const unchanged = { 304: { description: 'The answer that the client has is current.', headers: all } };
  return headers.includes('ETag') ? { 200: done, ...unchanged } : { 200: done };
}

function healthOperation(examples: Examples): JsonSchema {
  return {
    operationId: 'health',
    tags: ['Service'],
    summary: 'Reports whether the service is up.',
    description:
      '**Needs:** None: everyone may call it.\n\n**Limits:** 120 in a minute and 10,000 in an hour of an address.',
    security: [{}],
    responses: {
      200: {
        description: 'The service is up.',
        headers: limitHeaders([]),
        content: { 'application/json': { schema: referenceTo(health), example: examples.calls.health?.answer } },
      },
      ...refusalsOf(['forbidden.origin', 'rate_limited', 'internal', 'internal.exception'], examples.refusals),
    },
  };
}
