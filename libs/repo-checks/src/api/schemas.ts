// The named JSON Schemas of answers and pushes, for OpenAPI and AsyncAPI. Both use draft 2020-12.
import * as accountAnswers from '@taskgraph/wire/operations/account-answers';
import * as answers from '@taskgraph/wire/operations/answers';
import { type JsonSchema, simplify, withoutIds } from '@taskgraph/wire/operations/payload-schema';
import { connectError, PUSHES } from '@taskgraph/wire/operations/pushes';
import { z } from 'zod';
import { batchSchemas } from './batch-schemas.ts';
import { plainSchema } from './plain-schema.ts';

/** The place of named schemas in both kinds of document. */
const uri = (id: string) => `#/components/schemas/${id}`;

/** Answers omit the bounds that every JavaScript integer has. */
const BOUNDLESS = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

/** Answers may gain fields that a client does not know; payloads are closed. */
function open(context: Parameters<typeof simplify>[0]): void {
  simplify(context);
  const schema = context.jsonSchema as JsonSchema;
  for (const bound of ['minimum', 'maximum']) if (BOUNDLESS.includes(schema[bound] as number)) delete schema[bound];
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

/**
 * The schemas of answers and pushes to which a part of a document refers, directly or through
 * others, by name. `form` rewrites each schema.
 */
export function schemasFor(part: unknown, form = plainSchema): Record<string, JsonSchema> {
  const all = namedSchemas(form);
  const used = new Set<string>();
  const follow = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(all[name]);
    }
  };
  follow(part);
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** All named schemas. */
function namedSchemas(form: typeof plainSchema): Record<string, JsonSchema> {
  const declared = { ...answers, ...accountAnswers, connectError };
  const used = [...Object.values(declared), ...Object.values(PUSHES).map(({ payload }) => payload)];
  if (used.length === 0) throw new Error('no answers are declared');
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', override: open, uri }) as unknown as {
    schemas: Record<string, JsonSchema>;
  };
  const plain = Object.entries(schemas).map(([id, schema]) => [id, form(withoutIds(schema))] as const);
  const all = [...plain, ...Object.entries(batchSchemas())];
  return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A reference to a named schema. */
export function referenceTo(schema: z.ZodType): JsonSchema {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('a schema of an answer has no name');
  return { $ref: uri(id) };
}
