// Creates docs/api/asyncapi.json from the declarations of operations and pushes. The gateway serves
// that file.
import { type LimitName, limitsOf, WALKED } from '@taskgraph/commands/rate-limits';
import { BOUNDS } from '@taskgraph/wire/fields';
import { refusal } from '@taskgraph/wire/operations/answers';
import { errorsOf, type Operation } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { type JsonSchema, payloadSchema } from '@taskgraph/wire/operations/payload-schema';
import { connectError, PUSHES } from '@taskgraph/wire/operations/pushes';
import type { Examples } from './examples.ts';
import { referenceTo, schemasFor } from './schemas.ts';
import { describeCodes, describeOperation, identifierOf, LICENSE, TAGS, TITLE, tagOf, VERSION_NOTE } from './words.ts';

const DESCRIPTION = `The same calls as over REST (\`/openapi.json\`), over Socket.IO 4, and all that the service pushes. ${VERSION_NOTE}

Connect at the path \`/ext-socket.io\` with the transport \`websocket\`, and give the token in the auth payload: \`{api_token: TOKEN}\`, or
\`{public_token: TOKEN}\` without an account. After \`connected\`, each call is an event with one object and an ack callback. A reader hears several
feeds; the slices of one are numbered, so that a missing one shows: ask \`changes:get\` then.`;

const SOCKET = 'socket';
const CHANNEL = { $ref: `#/channels/${SOCKET}` };
const ackOf = (name: string) => `${name}Ack`;

/** The tag of an event. */
const tagged = (event: string) => ({ $ref: `#/components/tags/${tagOf(event)}` });

/** A message by its name in the channel. */
const inChannel = (name: string) => ({ $ref: `#/channels/${SOCKET}/messages/${name}` });

/** The document, as text. */
export function asyncapiDocument(version: string, examples: Examples): string {
  const messages = {
    ...Object.fromEntries(socketOperations.flatMap((operation) => messagesOf(operation, examples))),
    ...Object.fromEntries(Object.keys(PUSHES).map((name) => [identifierOf(name), pushMessage(name, examples)])),
    connectError: {
      name: 'connect_error',
      title: 'connect_error',
      summary: 'The service refused the connection; `message` is the code.',
      contentType: 'application/json',
      payload: referenceTo(connectError),
    },
  };
  const names = Object.keys(messages);
  const tags = Object.fromEntries(Object.entries(TAGS).map(([name, description]) => [name, { name, description }]));
  const document = {
    asyncapi: '3.0.0',
    id: 'urn:taskgraph:sockets',
    info: {
      title: TITLE,
      version,
      description: DESCRIPTION,
      license: LICENSE,
      tags: Object.keys(TAGS).map((name) => ({ $ref: `#/components/tags/${name}` })),
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        pathname: '/ext-socket.io',
        protocol: 'ws',
        description: 'Socket.IO 4 over WebSockets; behind a proxy that ends TLS, `wss`.',
        variables: { host: { default: '127.0.0.1:8080', description: 'The address of the service.' } },
        security: Object.keys(SECURITY_SCHEMES).map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
      },
    },
    channels: {
      [SOCKET]: {
        address: '/ext-socket.io',
        title: 'One connection',
        description: 'The default namespace of Socket.IO: calls of the client with their acks, and pushes.',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: { ...Object.fromEntries(socketOperations.map(callOperation)), ...pushOperations() },
    components: { messages, schemas: withoutSiblings(schemasFor(messages)), securitySchemes: SECURITY_SCHEMES, tags },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const SECURITY_SCHEMES = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API token or a session, also as `api_token` of the auth payload or `Sec-WebSocket-Protocol: Bearer, TOKEN`.',
  },
  publicToken: {
    type: 'userPassword',
    description: '`public_token` of the auth payload: it gives read access to its publication.',
  },
};

function messagesOf(operation: Operation, examples: Examples): [string, JsonSchema][] {
  const { name: event, answer, summary } = operation;
  const name = identifierOf(event);
  const example = examples.calls[event];
  if (example === undefined) throw new Error(`docs/api/examples.json has no example of ${event}`);
  const request = {
    name: event,
    title: event,
    summary,
    contentType: 'application/json',
    payload: socketPayload(operation),
    tags: [tagged(event)],
    examples: [{ name: 'call', payload: example.payload }],
  };
  const ack = {
    name: `${event} (ack)`,
    title: `ack of ${event}`,
    summary: 'The result of the call.',
    description: `If the call is refused, \`error\` is one of these codes:\n\n${describeCodes(errorsOf(operation, 'socket'))}`,
    contentType: 'application/json',
    payload: { oneOf: [referenceTo(answer as never), referenceTo(refusal)] },
    examples: [{ name: 'done', payload: example.answer }],
  };
  return [
    [name, request],
    [ackOf(name), ack],
  ];
}

/** The payload of a command also contains its idempotency key and `dryRun`. */
function socketPayload({ kind, payload, transports }: Operation): JsonSchema {
  const { payload: own = payload, implied } = transports.socket ?? {};
  const schema = payloadSchema(own) as { properties: JsonSchema; required?: string[] };
  const required = (schema.required ?? []).filter((name) => name !== implied);
  const key = {
    type: 'string',
    minLength: 1,
    maxLength: BOUNDS.idempotencyKey,
    description: 'A repeated key gets the first answer, and the command is not executed twice.',
  };
  const dryRun = {
    type: 'boolean',
    description: 'Only decides the command and reports who would gain or lose sight. It takes no key.',
  };
  const { required: _all, ...rest } = schema;
  return {
    ...rest,
    properties: { ...schema.properties, ...(kind === 'command' ? { idempotencyKey: key, dryRun } : {}) },
    ...(required.length > 0 ? { required } : {}),
  };
}

function pushMessage(name: string, examples: Examples): JsonSchema {
  const { summary, payload } = PUSHES[name as keyof typeof PUSHES];
  const example = examples.pushes[name];
  return {
    name,
    title: name,
    summary,
    contentType: 'application/json',
    payload: referenceTo(payload),
    ...(example === undefined ? {} : { examples: [{ name: 'push', payload: example }] }),
  };
}

/** Further pages count for another limit than the first. */
function socketLimitsOf(event: string): readonly LimitName[] {
  return [...limitsOf('socket', event), ...(WALKED.includes(event) ? (['graph:walk'] as const) : [])];
}

function callOperation(operation: Operation): [string, JsonSchema] {
  const name = identifierOf(operation.name);
  return [
    name,
    {
      action: 'receive',
      channel: CHANNEL,
      title: operation.name,
      summary: operation.summary,
      description: describeOperation(operation, socketLimitsOf(operation.name)),
      tags: [tagged(operation.name)],
      messages: [inChannel(name)],
      reply: { channel: CHANNEL, messages: [inChannel(ackOf(name))] },
    },
  ];
}

function pushOperations(): Record<string, JsonSchema> {
  const pushes = Object.entries(PUSHES).map(([event, { summary }]) => [event, identifierOf(event), summary] as const);
  const all = [...pushes, ['connect_error', 'connectError', 'The service refused the connection.'] as const];
  return Object.fromEntries(
    all.map(([event, name, summary]) => [
      `push${name[0]?.toUpperCase()}${name.slice(1)}`,
      { action: 'send', channel: CHANNEL, title: event, summary, messages: [inChannel(name)] },
    ]),
  );
}

/** AsyncAPI permits no field next to a reference. */
function withoutSiblings<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSiblings) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const inner = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, withoutSiblings(one)]));
  if ($ref === undefined) return inner as T;
  return (Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }], ...inner }) as T;
}
