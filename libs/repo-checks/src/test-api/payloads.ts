// Generated payloads of a JSON Schema, such as those of asyncapi.json: most of them fit it, some
// have one fault.
import fc, { type Arbitrary } from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

/** Ids from the service, and ids that no entity has. */
export type KnownIds = () => readonly string[];

const NOTHING: Arbitrary<unknown> = fc.constantFrom(null, '', [], {}, -1, 1.5, true, '\0', 'x'.repeat(70_000), {
  nothing: 'here',
});

/** A payload. One in four has a field that is invalid or unknown. */
export function payloadOf(schema: Schema, known: KnownIds): Arbitrary<object> {
  const fitting = fittingOf(schema, known) as Arbitrary<Record<string, unknown>>;
  const names = Object.keys((schema.properties ?? {}) as object);
  const wrong = fc
    .tuple(fitting, fc.constantFrom(...names, 'nothing'), NOTHING)
    .map(([payload, name, value]) => ({ ...payload, [name]: value }));
  return fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: wrong });
}

function fittingOf(schema: Schema, known: KnownIds): Arbitrary<unknown> {
  const { type, enum: some, const: only, anyOf } = schema;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(some)) return fc.constantFrom(...(some as unknown[]));
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((each) => fittingOf(each as Schema, known)));
  if (type === 'integer') return fc.integer(boundsOf(schema, 'minimum', 'maximum', { min: -1_000, max: 2 ** 31 - 1 }));
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'string') return textOf(schema, known);
  if (type === 'array') return listOf(schema, known);
  if (type === 'object') return recordOf(schema, known);
  return fc.jsonValue({ maxDepth: 2 });
}

function boundsOf(
  schema: Schema,
  least: string,
  most: string,
  usual: { min: number; max: number },
): { min: number; max: number } {
  return { min: Number(schema[least] ?? usual.min), max: Number(schema[most] ?? usual.max) };
}

function textOf(schema: Schema, known: KnownIds): Arbitrary<string> {
  if (schema.format === 'uuid') {
    const made = fc.nat().map((at) => known()[at % Math.max(1, known().length)]);
    return fc
      .tuple(fc.integer({ min: 0, max: 9 }), made, fc.uuid())
      .map(([dice, one, other]) => (dice > 0 && one !== undefined ? one : other));
  }
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((time) => time.toISOString());
  }
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern));
  const { min, max } = boundsOf(schema, 'minLength', 'maxLength', { min: 0, max: 200 });
  return fc.string({ minLength: min, maxLength: Math.min(max, 2_000), unit: 'binary' });
}

function listOf({ items, minItems, maxItems }: Schema, known: KnownIds): Arbitrary<unknown[]> {
  const maxLength = Math.min(Number(maxItems ?? 20), 70);
  return fc.array(fittingOf(items as Schema, known), { minLength: Number(minItems ?? 0), maxLength });
}

function recordOf({ properties = {}, required = [] }: Schema, known: KnownIds): Arbitrary<object> {
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, each]) => [
    name,
    fittingOf(each, known),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required as string[],
  });
}
