// Rewrites JSON Schemas into forms that most generators of clients understand. The values that a
// schema accepts stay the same, except that an object may have a property that was forbidden.
import type { JsonSchema } from '@taskgraph/wire/operations/payload-schema';

const LARGEST_INT32 = 2 ** 31 - 1;

/** The schema and all schemas in it, in plain form. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]) => plainKeyword(keyword, value));
  return withFormat(withOneOf(withNullType(Object.fromEntries(entries))));
}

function plainKeyword(keyword: string, value: unknown): [string, unknown][] {
  switch (keyword) {
    case 'properties': {
      const allowed = Object.entries(value as Record<string, JsonSchema>).filter(([, one]) => !isNever(one));
      return [[keyword, Object.fromEntries(allowed.map(([name, one]) => [name, plainSchema(one)]))]];
    }
    case 'items':
      // A list that is always empty.
      if (isNever(value)) return Object.entries({ maxItems: 0, items: {} });
      return [[keyword, plainSchema(value as JsonSchema)]];
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return [[keyword, (value as JsonSchema[]).map(plainSchema)]];
    case 'additionalProperties':
      if (typeof value !== 'object') return [[keyword, value]];
      return [[keyword, Object.keys(value as object).length === 0 ? true : plainSchema(value as JsonSchema)]];
    case 'propertyNames':
      // Names of properties are texts anyway.
      return isDeepEqual(value, { type: 'string' }) ? [] : [[keyword, value]];
    default:
      return [[keyword, value]];
  }
}

function isNever(schema: unknown): boolean {
  return isDeepEqual(schema, { not: {} });
}

function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `type: ["string", "null"]` in place of `anyOf` of a text and null. */
function withNullType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [value, nothing, ...more] = (anyOf ?? []) as readonly JsonSchema[];
  if (value === undefined || nothing?.type !== 'null' || more.length > 0) return schema;
  // Null would also have to be one of the values of an enumeration.
  if (typeof value.type !== 'string' || value.enum !== undefined || value.const !== undefined) return schema;
  return { ...value, type: [value.type, 'null'], ...rest };
}

/**
 * `oneOf` in place of `anyOf` if the types of all forms differ, because no value has two of them. A named
 * schema beside null is an object.
 */
function withOneOf(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const types = new Set(
    (anyOf as JsonSchema[]).map(({ type, $ref }) => type ?? ($ref === undefined ? undefined : 'object')),
  );
  return types.size === anyOf.length && !types.has(undefined) ? { ...rest, oneOf: anyOf } : schema;
}

/** Languages with several types of numbers learn which one holds all values. */
function withFormat(schema: JsonSchema): JsonSchema {
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.format !== undefined) return schema;
  if (types.includes('number')) return { ...schema, format: 'double' };
  if (!types.includes('integer')) return schema;
  const isSmall = typeof schema.maximum === 'number' && schema.maximum <= LARGEST_INT32;
  return { ...schema, format: isSmall ? 'int32' : 'int64' };
}
