// Creates docs/api/openapi.json from the declarations of operations. The gateway serves that file.

import { type LimitName, limitsOfRestCall } from '@taskgraph/commands/rate-limits';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { health } from '@taskgraph/wire/operations/answers';
import { flatFields } from '@taskgraph/wire/operations/flat-fields';
import { errorsOf, hasBody, type Operation, type RestRoute, routesOf } from '@taskgraph/wire/operations/operation';
import { operations } from '@taskgraph/wire/operations/operations';
import { fieldsOf, type JsonSchema, payloadSchema } from '@taskgraph/wire/operations/payload-schema';
import type { z } from 'zod';
import { withBatchOperations } from './batch-schemas.ts';
import type { Examples } from './examples.ts';
import { linksOf } from './links.ts';
import {
  HEADERS,
  headersNamed,
  OTHER_REFUSAL,
  PARAMETERS,
  refusalsOf,
  SECURITY_SCHEMES,
  sharedResponses,
} from './openapi-parts.ts';
import { plainSchema } from './plain-schema.ts';
import { referenceTo, schemasFor } from './schemas.ts';
import { webhookMessages } from './webhook-messages.ts';
import {
  describeOperation,
  describeRefusals,
  identifierOf,
  LICENSE,
  TAGS,
  TITLE,
  tagOf,
  VERSION_NOTE,
} from './words.ts';

const DESCRIPTION = `A service that stores tasks as nodes and their dependencies as links. Every change is pushed live as a diff, over sockets
(\`/asyncapi.json\`). ${VERSION_NOTE}

Agents use the tools of the Model Context Protocol at \`POST /mcp\`, with the same tokens.

A mutation is answered after it is committed. Sent again under the same \`Idempotency-Key\` it gives the first answer. Every answer has \`ok\` and a
\`trace_id\`, and says in the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` how many calls are left.`;

/** The document, as text. */
export function openapiDocument(version: string, examples: Examples): string {
  const paths: Record<string, Record<string, unknown>> = {};
  const put = (method: string, path: string, operation: unknown) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const operation of operations) {
    for (const { method, path } of routesOf(operation)) put(method, path, pathItemOf(operation, method, examples));
  }
  put('GET', '/api/health', healthOperation(examples));
  put('GET', '/calendar/{address}', CALENDAR_OPERATION);
  const responses = sharedResponses(operations, examples.refusals);
  const webhooks = webhookMessages();
  const document = {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: DESCRIPTION, license: LICENSE },
    servers: [SERVER],
    security: [{ token: [] }, { browserSession: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: withActiveNodes(schemasFor([paths, responses, webhooks])),
      parameters: PARAMETERS,
      headers: headersIn([paths, responses]),
      responses,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * Only active nodes have the form `Node`. A field with another value in `TrashNode` distinguishes the
 * two for tools.
 */
function withActiveNodes(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const { Node } = schemas as Record<string, { properties: Record<string, JsonSchema> }>;
  if (Node === undefined) throw new Error('there is no schema Node');
  const inTrash = { ...Node.properties.inTrash, const: false };
  return { ...schemas, Node: { ...Node, properties: { ...Node.properties, inTrash } } };
}

/** The described headers to which a part of the document refers. */
function headersIn(part: unknown): JsonSchema {
  const text = JSON.stringify(part);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => text.includes(`/headers/${name}"`)));
}

const SERVER = {
  url: '{baseUrl}',
  description: 'A service.',
  variables: {
    baseUrl: {
      default: '/',
      description:
        'The address of the service, such as `https://tasks.example.com`. `/` is the service that serves this document.',
    },
  },
};

const EITHER = [{ token: [] }, { browserSession: [] }];

const SECURITY: Readonly<Record<Operation['caller'], readonly JsonSchema[]>> = {
  anybody: [{}],
  reader: [{}, ...EITHER],
  token: EITHER,
  session: [{ browserSession: [] }, { sessionToken: [] }],
};

/** Answers with an etag. */
const WITH_ETAG = ['node:get', 'graph:get', 'branch:get', 'capabilities'];
/** Operations that set a cookie. */
const OF_BROWSERS = [
  'login',
  'login:link',
  'logout',
  'register:verify',
  'password:reset',
  'oidc:login',
  'oidc:callback',
];

/** The parameters in addition to the fields. */
function parametersOf({ name, kind }: Operation): string[] {
  return [
    'Traceparent',
    ...(kind === 'command' ? ['IdempotencyKey', 'DryRun'] : []),
    ...(WITH_ETAG.includes(name) ? ['IfNoneMatch'] : []),
  ];
}

function headersOf({ name, kind, answer, deprecated }: Operation): string[] {
  return [
    ...(kind === 'command' ? ['Idempotency-Replayed'] : []),
    ...(WITH_ETAG.includes(name) ? ['ETag'] : []),
    ...(kind === 'read' ? ['Taskgraph-User'] : []),
    ...(OF_BROWSERS.includes(name) ? ['Set-Cookie'] : []),
    ...(typeof answer === 'number' ? ['Location'] : []),
    ...(deprecated === undefined ? [] : ['Deprecation', ...(deprecated.sunset === undefined ? [] : ['Sunset'])]),
  ];
}

/** The limits of an operation's first page, and of those with `after`. */
function limitsOfPages(event: string): readonly LimitName[] {
  return [...limitsOfRestCall(event, {}), ...limitsOfRestCall(event, { after: '' })];
}

/** The description of an operation by one of its methods. */
export function pathItemOf(operation: Operation, method: string, examples: Examples): JsonSchema {
  const { name, payload, transports } = operation;
  const { rest } = transports;
  const isPost = method !== rest.method;
  const inBody = isPost || hasBody(rest);
  const errors = errorsOf(operation, 'rest');
  const example = examples.calls[name];
  const fields = inBody ? [] : queryOf(payload, rest, example?.payload);
  return {
    operationId: identifierOf(name) + (isPost ? 'ByPost' : ''),
    tags: [tagOf(name)],
    summary: operation.summary,
    description: [describeOperation(operation, limitsOfPages(name)), ...describeRefusals(operation.errors)].join(
      '\n\n',
    ),
    ...(operation.deprecated === undefined ? {} : { deprecated: true }),
    security: SECURITY[operation.caller],
    parameters: [...fields, ...parametersOf(operation).map((part) => ({ $ref: `#/components/parameters/${part}` }))],
    ...(inBody ? { requestBody: bodyOf({ name, payload, errors }, example?.payload) } : {}),
    responses: { ...successOf(operation, example?.answer), ...refusalsOf(errors) },
  };
}

function queryOf(
  payload: z.ZodObject,
  { onlyInBody = [], flattened }: RestRoute,
  example: Record<string, unknown> | undefined,
): JsonSchema[] {
  const { properties = {}, required = [] } = plainSchema(payloadSchema(payload)) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const members = flattened === undefined ? [] : [...flatFields(payload.shape[flattened])];
  const inQuery = [
    ...Object.entries(properties).filter(([name]) => !onlyInBody.includes(name) && name !== flattened),
    ...members.map(([name, { schema }]) => [name, plainSchema(payloadSchema(schema))] as const),
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
  const { oneOf: forms, ...rest } = schema;
  if (Array.isArray(forms)) {
    const texts = (forms as JsonSchema[]).filter(({ type }) => type !== 'object');
    return texts.length === 1 ? { ...rest, ...texts[0] } : { ...rest, oneOf: texts };
  }
  return typeof schema.maxLength === 'number' && schema.maxLength > QUERY_TEXT_LENGTH
    ? { ...schema, maxLength: QUERY_TEXT_LENGTH }
    : schema;
}

function bodyOf(call: Parameters<typeof fieldsOf>[0] & { readonly name: string }, example: unknown): JsonSchema {
  const schema = withBatchOperations(call, plainSchema(fieldsOf(call)));
  const shown = example === undefined ? {} : { example };
  return { required: schema.required !== undefined, content: { 'application/json': { schema, ...shown } } };
}

function successOf(operation: Operation, example: unknown): JsonSchema {
  const { name, answer } = operation;
  const headers = headersOf(operation);
  const all = headers.length === 0 ? {} : { headers: headersNamed(headers) };
  if (answer === 302 || answer === 303) {
    return { [answer]: { description: 'A redirect.', ...all }, default: OTHER_REFUSAL };
  }
  if (answer === 'document') {
    const document = { 'text/html': { schema: { type: 'string' } } };
    return { 200: { description: 'The page.', ...all, content: document } };
  }
  if (example === undefined)
    throw new Error(`docs/api/examples.json has no example of ${name}: run \`npm run docs:examples\``);
  const done = {
    description: 'The operation succeeded.',
    ...all,
    content: { 'application/json': { schema: referenceTo(answer as z.ZodType), example } },
    ...linksOf(name),
  };
  const unchanged = { 304: { description: 'The answer that the client has is current.', ...all } };
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
        content: { 'application/json': { schema: referenceTo(health), example: examples.calls.health?.answer } },
      },
      ...refusalsOf(['forbidden.origin', 'rate_limited', 'internal', 'internal.exception']),
    },
  };
}

/** The address of a calendar is no operation: programs read it without a token, and its answer is no JSON. */
const CALENDAR_OPERATION: JsonSchema = {
  operationId: 'calendar',
  tags: [tagOf('calendar:')],
  summary: 'Reads a calendar, as calendar programs do.',
  description:
    '**Needs:** None: everyone who knows the address may read it. `POST /api/calendar` gives it out once.\n\n**Limits:** `calendar` and `calendar:user`.\n\nRules: ICAL2, ICAL3.',
  security: [{}],
  parameters: [
    {
      name: 'address',
      in: 'path',
      description: 'The last part of the address.',
      required: true,
      schema: { type: 'string', pattern: '^cal_[0-9A-Za-z]{36}\\.ics$' },
    },
    { $ref: '#/components/parameters/IfNoneMatch' },
  ],
  responses: {
    200: {
      description: 'The calendar (RFC 5545).',
      headers: headersNamed(['ETag']),
      content: { 'text/calendar': { schema: { type: 'string' } } },
    },
    304: { description: 'The calendar that the program has is current.', headers: headersNamed(['ETag']) },
    ...refusalsOf([
      'forbidden.origin',
      'not_found',
      'bad_request.invalid_<field>',
      'bad_request.too_large',
      'rate_limited',
      'unavailable',
      'internal',
      'internal.exception',
    ]),
  },
};
