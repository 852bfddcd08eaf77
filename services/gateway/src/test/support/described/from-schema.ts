// Payloads drawn from a JSON Schema, as the descriptions of the API have them: mostly such as fit,
// and some that do not.
import fc from 'fast-check';

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** Longer texts and lists cost time and find nothing more. */
const LONGEST_TEXT = 40;
const LONGEST_LIST = 4;

/** Values for a schema of this project. `ids` are the real values of some of its ids. */
function fitting(schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fitting(one, ids)));
  const { minimum = -1_000_000, maximum = 1_000_000 } = schema;
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 2_000_000) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'array':
      return fc.array(fitting(schema.items ?? {}, ids), {
        maxLength: Math.min(schema.maxItems ?? LONGEST_LIST, LONGEST_LIST),
      });
    case 'object':
      return objects(schema, ids);
    default:
      return texts(schema, ids);
  }
}

function texts(
  { format, minLength = 0, maxLength = LONGEST_TEXT, pattern }: Schema,
  ids: readonly string[],
): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, fc.uuid());
  if (format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'email' || pattern?.includes('@') === true)
    return fc.constantFrom('bob@example.com', 'Cy@Example.com');
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, LONGEST_TEXT) });
}

function objects(
  { properties = {}, required = [] }: Schema,
  ids: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fitting(field, ids)]));
  return fc.record(fields, { requiredKeys: [...required] });
}

/** The same, with a field of another kind, one too many or one too few now and then. */
export function nearly(schema: Schema, ids: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(schema.properties ?? {});
  const spoiled = fc.tuple(objects(schema, ids), fc.constantFrom(...names, 'unknown'), fc.jsonValue({ maxDepth: 2 }));
  return fc.oneof(
    { weight: 3, arbitrary: objects(schema, ids) },
    { weight: 1, arbitrary: spoiled.map(([payload, name, value]) => ({ ...payload, [name]: value })) },
    {
      weight: 1,
      arbitrary: spoiled.map(([{ ...payload }, name]) => {
        delete payload[name];
        return payload;
      }),
    },
  );
}
