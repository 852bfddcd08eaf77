// The JSON Schemas of payloads, for documents, programs and agents. They take draft 2020-12.
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

interface Overridden {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: object;
}

/** Shortens what zod writes for a schema of ours. */
export function simplify({ zodSchema, jsonSchema }: Overridden): void {
  const schema = jsonSchema as JsonSchema;
  // The format says it, and more briefly than the pattern.
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern;
  const { def } = zodSchema._zod as unknown as { def: { type: string; in?: z.ZodType; out?: z.ZodType } };
  // A list only counts its items first (libs/wire/src/fields.ts): input and output are the same.
  if (def.type === 'pipe' && def.in?.def.type === 'transform') {
    Object.assign(schema, payloadSchema(def.out as z.ZodType));
    delete schema.$schema;
  }
}

/** A schema without its draft and identifiers. */
export function withoutIds({ $schema: _draft, $id: _uri, id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** The schema of all that a client may send. */
export function payloadSchema(payload: z.ZodType): JsonSchema {
  const schema = z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any', override: simplify });
  return withoutIds(schema as JsonSchema);
}

/** The schema of a call's fields. With `bad_request.no_fields`, one optional field must be there too. */
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
