// The operations of a `batch:run` as named schemas, one for each event, which a discriminator
// distinguishes.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { batchable } from '@taskgraph/wire/operations/batch-parser';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { fieldsOf, type JsonSchema, payloadSchema } from '@taskgraph/wire/operations/payload-schema';
import { plainSchema } from './plain-schema.ts';
import { identifierOf } from './words.ts';

const RUN: Operation = OPERATIONS['batch:run'];
const UNION = 'BatchOperation';
const uri = (name: string) => `#/components/schemas/${name}`;

/** An id, or the name of an entity from an earlier operation (BAT2). */
const ID_OR_NAME =
  '^(\\$[A-Za-z0-9_-]{1,64}(\\.link)?|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$';
const ID_FIELDS = ['id', 'source', 'target'];

/** `BatchNodeAdd` for `node:add`. */
function schemaName({ name }: Operation): string {
  const identifier = identifierOf(name);
  return `Batch${identifier[0]?.toUpperCase()}${identifier.slice(1)}`;
}

/** The schema of a body. That of `batch:run` refers to the union of its operations. */
export function withBatchOperations({ name }: Pick<Operation, 'name'>, schema: JsonSchema): JsonSchema {
  if (name !== RUN.name) return schema;
  const { operations } = schema.properties as { operations: JsonSchema };
  return { ...schema, properties: { operations: { ...operations, items: { $ref: uri(UNION) } } } };
}

/** The union of all operations, and the schema of each, by name. */
export function batchSchemas(): Record<string, JsonSchema> {
  const declared = payloadSchema(RUN.payload) as { properties: { operations: { items: JsonSchema } } };
  const { description, properties } = declared.properties.operations.items as {
    description: string;
    properties: Record<string, JsonSchema>;
  };
  const mapping = Object.fromEntries(batchable.map((operation) => [operation.name, uri(schemaName(operation))]));
  const union = {
    description,
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'event', mapping },
  };
  const operations = batchable.flatMap((operation) => operationSchemas(operation, properties));
  return { [UNION]: union, ...Object.fromEntries(operations) };
}

/** The schemas of an operation and of its payload, with their names. */
function operationSchemas(operation: Operation, { as }: Record<string, JsonSchema>): [string, JsonSchema][] {
  const { name, summary } = operation;
  const payload = withNames(fieldsOf(operation));
  const payloadName = `${schemaName(operation)}Payload`;
  const createsEntity = name === 'node:add' || name === 'link:add';
  const schema = {
    type: 'object',
    description: `\`${name}\` as an operation of a batch. ${summary}`,
    properties: {
      event: { type: 'string', const: name },
      payload: { $ref: uri(payloadName) },
      ...(createsEntity ? { as } : {}),
    },
    required: payload.required === undefined ? ['event'] : ['event', 'payload'],
    additionalProperties: false,
  };
  return [
    [schemaName(operation), schema],
    [payloadName, { description: `The fields of \`${name}\` in a batch.`, ...payload }],
  ];
}

/**
 * The fields of a payload whose ids may be names. Defaults are only described: openapi-typescript
 * requires a field with a default, except in a body without a name.
 */
function withNames(payload: JsonSchema): JsonSchema {
  const { properties } = payload as { properties: Record<string, JsonSchema> };
  const fields = Object.entries(properties).map(([field, { format, default: initial, ...schema }]) => {
    if (ID_FIELDS.includes(field))
      return [field, { ...schema, pattern: ID_OR_NAME, description: `${schema.description} \`$name\` is also valid.` }];
    const described = initial === undefined ? {} : { description: `${schema.description} By default \`${initial}\`.` };
    return [field, { ...schema, ...definedFields({ format }), ...described }];
  });
  return plainSchema({ ...payload, properties: Object.fromEntries(fields) });
}
