// JSON Schemas (draft 2020-12) of payloads, for documents, programs and agents.
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

interface SchemaOverride {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: object;
}

/** Shortens zod's output for our schemas. */
export function simplify({ zodSchema, jsonSchema }: SchemaOverride): void {
  const schema = jsonSchema as JsonSchema;
  // The format says the same as the pattern, in fewer characters.
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern;
  const { def } = zodSchema._zod as unknown as { def: { type: string; in?: z.ZodType; out?: z.ZodType } };
  // A list first counts its items (libs/wire/src/fields.ts). Input and output are the same.
  if (def.type === 'pipe' && def.in?.def.type === 'transform') {
    Object.assign(schema, payloadSchema(def.out as z.ZodType));
    delete schema.$schema;
  }
}

/** A schema without its draft and identifiers. */
export function withoutIds({ $schema: _draft, $id: _uri, id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** The schema of a client's input. */
export function payloadSchema(payload: z.ZodType): JsonSchema {
  const schema = z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any', override: simplify });
  return withoutIds(schema as JsonSchema);
}

/**
 * The schema of an operation's fields. With `bad_request.no_fields`, it requires one optional
 * field.
 */
export function fieldsOf({
  payload,
  errors,
}: {
  readonly payload: z.ZodType;
  readonly errors: readonly string[];
}): JsonSchema {
  const schema = payloadSchema(payload);
  const names = (schema.required ?? []) as readonly string[];
  if (!errors.includes('bad_request.no_fields') || !names.includes('id')) return schema;
  return { ...schema, minProperties: names.length + 1 };
}
