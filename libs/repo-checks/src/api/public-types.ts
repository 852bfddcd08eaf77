// Writes the types of libs/wire/src/public-types.ts in full for published packages, with the
// descriptions of fields as comments, so that the package needs no schemas.
import { ERRORS } from '@taskgraph/wire/error-codes';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operations, socketOperations } from '@taskgraph/wire/operations/operations';
import { type JsonSchema, payloadSchema } from '@taskgraph/wire/operations/payload-schema';
import { PUSHES } from '@taskgraph/wire/operations/pushes';
import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { z } from 'zod';
import { referenceTo, schemasFor } from './schemas.ts';

/** The names of types that were renamed, by their former names. */
const FORMER_NAMES = {
  Sight: 'VisibilityChange',
  Ran: 'BatchRun',
  Result: 'OperationResult',
  Way: 'AccessPath',
} as const;

/** Types can say that a list is empty or a field is absent; plain schemas cannot. */
const declaredForm = (schema: JsonSchema) => schema;

/** The declarations of the module, as text. */
export function publicTypes(): string {
  const answers = operations.flatMap(({ answer }) => (answer instanceof z.ZodType ? [referenceTo(answer)] : []));
  const pushes = Object.values(PUSHES).map(({ payload }) => referenceTo(payload));
  const messages = Object.values(WEBHOOK_BODIES).map(referenceTo);
  const named = Object.entries(schemasFor([answers, pushes, messages], declaredForm)).map(
    ([name, schema]) => `${commentOf(schema, '')}export type ${name} = ${typeOf(schema, '')};`,
  );
  const events = socketOperations.map((operation) => {
    const schemas = [socketPayload(operation), referenceTo(operation.answer as z.ZodType)];
    const [payload, answer] = schemas.map((each) => typeOf(each, '    '));
    return `  '${operation.name}': {\n    payload: ${payload};\n    answer: ${answer};\n  };`;
  });
  const pushTypes = Object.entries(PUSHES).map(
    ([name, { payload }]) => `  '${name}': ${typeOf(referenceTo(payload), '  ')};`,
  );
  const reads = socketOperations.filter(({ kind }) => kind === 'read').map(({ name }) => `'${name}'`);
  const formerNames = Object.entries(FORMER_NAMES).map(
    ([former, name]) => `/** @deprecated Use \`${name}\`. */\nexport type ${former} = ${name};`,
  );
  return `${[
    `/** Any code of the service. */\nexport type ErrorCode =\n${Object.keys(ERRORS).map(codeOf).join('\n')};`,
    ...named,
    ...formerNames,
    `export type WebhookMessage = ${messages.map((message) => typeOf(message, '')).join(' | ')};`,
    `/** Each call by its event: its payload over a socket, and its answer. */\nexport type CallTypes = {\n${events.join('\n')}\n};`,
    `/** Each push by its event. */\nexport type PushTypes = {\n${pushTypes.join('\n')}\n};`,
    `/** The calls that change nothing. */\nexport type ReadName = ${reads.join(' | ')};`,
  ].join('\n\n')}\n`;
}

/**
 * Over sockets a payload may differ, and a connection by public token may omit the field that the
 * token implies.
 */
function socketPayload({ payload, transports }: Operation): JsonSchema {
  const { payload: own = payload, implied } = transports.socket ?? {};
  const schema = payloadSchema(own);
  const required = (schema.required as string[] | undefined)?.filter((name) => name !== implied);
  return { ...schema, required };
}

function codeOf(code: string): string {
  return code.includes('<field>') ? `  | \`${code.replace('<field>', `\${string}`)}\`` : `  | '${code}'`;
}

function commentOf({ description }: JsonSchema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`;
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The type of a schema. It throws for schemas that we do not use. */
function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, const: only, enum: one, oneOf, anyOf = oneOf, not, type } = schema;
  if (typeof $ref === 'string') return $ref.replace(/^.*\//, '');
  if (only !== undefined) return literal(only);
  // The status that clients may set is an integer of the type `number`.
  if (Array.isArray(one) && type !== 'integer') return one.map(literal).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(each as JsonSchema, indent)).join(' | ');
  if (not !== undefined && type === undefined) return 'never';
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  if (type === 'array') return `${grouped(typeOf(schema.items as JsonSchema, indent))}[]`;
  if (type === 'object') return objectOf(schema, indent);
  if (type === undefined) return 'unknown';
  const found = PRIMITIVES[String(type)];
  if (found === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return found;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function grouped(type: string): string {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
}

function objectOf({ properties, required, additionalProperties }: JsonSchema, indent: string): string {
  if (properties === undefined) return `Record<string, ${typeOf((additionalProperties ?? {}) as JsonSchema, indent)}>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const type = typeOf(schema, inner);
    const isRequired = (required as string[] | undefined)?.includes(name);
    return `${commentOf(schema, inner)}${inner}${name}${isRequired ? `: ${type}` : `?: ${type} | undefined`};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n${indent}}`;
}
