// Parses a client's input into a payload that fits a closed schema, or into the one refusal of
// GEN4.
import { z } from 'zod';
import { RESOURCE_FIELDS, type Resource } from '../entities.ts';
import { isRefusal, type Refusal, refuse, refuseField } from '../errors.ts';
import { flatFields, setAt } from './flat-fields.ts';
import type { RestRoute } from './operation.ts';

type Shape = z.ZodObject;

/** The parts of an operation that parsing requires. */
export interface Parsable<S extends Shape = Shape> {
  readonly payload: S;
  /** The entity that it writes; undefined for reads. */
  readonly resource?: Resource;
  readonly transports?: { readonly rest: Partial<RestRoute> };
  check?(payload: Record<string, unknown>): Refusal | null;
}

/**
 * Validates a payload: unknown fields first, then missing ones, then invalid ones, each in the
 * schema's order (GEN4), then the operation's own check.
 */
export function parsePayload<S extends Shape>(operation: Parsable<S>, raw: unknown): z.infer<S> | Refusal {
  const payload = parseShape(operation.payload, operation.resource, raw);
  if (isRefusal(payload)) return payload;
  return operation.check?.(payload) ?? payload;
}

/** The payload of a command, and whether it is a dry run (DRY1). */
export interface Mutation<S extends Shape = Shape> {
  readonly payload: z.infer<S>;
  readonly dryRun: boolean;
}

/**
 * Validates the payload of a command. Every command accepts `dryRun`, and no schema contains it.
 */
export function parseMutation<S extends Shape>(operation: Parsable<S>, raw: unknown): Mutation<S> | Refusal {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, DRY_RUN)) {
    const payload = parsePayload(operation, raw);
    return isRefusal(payload) ? payload : { payload, dryRun: false };
  }
  const { [DRY_RUN]: dryRun, ...rest } = raw as Record<string, unknown>;
  const payload = parsePayload(operation, rest);
  const isInvalid = typeof dryRun !== 'boolean' && dryRun !== undefined;
  // Unknown and missing fields are reported before invalid ones (GEN4).
  const isFirst = !isRefusal(payload) || !/\.(unknown_|immutable_|missing_)/.test(payload.code);
  if (isInvalid && isFirst) return refuseField('invalid', DRY_RUN, 'The field dryRun must be true or false.');
  return isRefusal(payload) ? payload : { payload, dryRun: dryRun === true };
}

const DRY_RUN = 'dryRun';

export const keyOfDryRun = refuse('bad_request.dry_run_key', 'A dry run changes nothing and takes no idempotency key.');

/** Like `parsePayload`, for the fields of a query string, which are texts (GEN5). */
export function parseQuery<S extends Shape>(operation: Parsable<S>, query: Query): z.infer<S> | Refusal {
  const { payload, transports } = operation;
  return parsePayload(operation, valuesOf(payload.shape, query, transports?.rest.flattened));
}

/** Like `parseMutation`, for the fields of a query string. */
export function parseMutationQuery<S extends Shape>(operation: Parsable<S>, query: Query): Mutation<S> | Refusal {
  return parseMutation(operation, valuesOf({ ...operation.payload.shape, [DRY_RUN]: z.boolean() }, query));
}

/** Whether a parameter of the query is a list, which may be repeated. */
export function isListParameter({ payload, transports }: Parsable, name: string): boolean {
  const flattened = transports?.rest.flattened;
  const member = flattened === undefined ? undefined : flatFields(payload.shape[flattened]).get(name)?.schema;
  const schema = member ?? (Object.hasOwn(payload.shape, name) ? payload.shape[name] : undefined);
  return schema !== undefined && unwrap(schema).type === 'list';
}

type Query = Readonly<Record<string, string>>;

function valuesOf(
  shape: Readonly<Record<string, unknown>>,
  query: Query,
  flattened?: string | undefined,
): Record<string, unknown> {
  const raw: Record<string, unknown> = Object.create(null);
  const members = flattened === undefined ? undefined : flatFields(shape[flattened] as z.ZodType);
  const object: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const member = members?.get(name);
    if (member !== undefined) setAt(object, member.path, fromText(member.schema, value));
    else raw[name] = Object.hasOwn(shape, name) ? fromText(shape[name] as z.ZodType, value) : value;
  }
  // A text in the place of the object is refused as any other value would be.
  if (flattened !== undefined && raw[flattened] === undefined && Object.keys(object).length > 0)
    raw[flattened] = object;
  return raw;
}

function parseShape<S extends Shape>(schema: S, resource: Resource | undefined, raw: unknown): z.infer<S> | Refusal {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return refuse('bad_request.invalid_body', 'The payload must be a JSON object.');
  }
  const unknown = refuseUnknownFields(schema, resource, raw);
  if (unknown !== null) return unknown;
  // The copy has no prototype: `__proto__` was refused above, and no field can be inherited.
  const result = schema.safeParse({ ...raw });
  if (result.success) return result.data;
  return refusalOf(schema, raw as Record<string, unknown>, result.error.issues);
}

function refuseUnknownFields(schema: Shape, resource: Resource | undefined, raw: object): Refusal | null {
  for (const name of Object.getOwnPropertyNames(raw)) {
    if (Object.hasOwn(schema.shape, name)) continue;
    const shown = name.slice(0, 100);
    return resource !== undefined && RESOURCE_FIELDS[resource].has(name)
      ? refuse('bad_request.immutable_field', `The field ${shown} can't be written.`, { path: shown })
      : refuse('bad_request.unknown_field', `There is no field ${JSON.stringify(shown)} here.`, { path: shown });
  }
  return null;
}

function refusalOf(schema: Shape, raw: Record<string, unknown>, issues: z.core.$ZodIssue[]): Refusal {
  for (const name of Object.keys(schema.shape)) {
    const failed = issues.some((issue) => issue.path[0] === name);
    if (failed && raw[name] === undefined) {
      return refuseField('missing', name, `The field ${name} is missing.`);
    }
  }
  for (const name of Object.keys(schema.shape)) {
    const issue = issues.find((candidate) => candidate.path[0] === name);
    if (issue !== undefined) return invalidField(name, raw[name], issue);
  }
  return refuse('bad_request', issues[0]?.message ?? 'The payload is malformed.');
}

const ID_FIELDS = new Set(['id', 'source', 'target', 'batchId', 'scopeId']);

function invalidField(name: string, value: unknown, issue: z.core.$ZodIssue): Refusal {
  const details = { path: issue.path.map(String).join('.') };
  const isId = ID_FIELDS.has(name) || (name === 'ids' && issue.path.length > 1);
  if (isId) return refuse('bad_request.invalid_uuid', `The field ${name} must be a UUID.`, details);
  const bounded = issue.code === 'too_big' || issue.code === 'too_small';
  // JSON has no infinity, but `1e999` parses to it.
  const infinite = typeof value === 'number' && !Number.isFinite(value);
  if (typeof value === 'number' && (bounded || infinite) && !(Number.isFinite(value) && !Number.isInteger(value))) {
    return refuse('bad_request.out_of_range', `The field ${name} is out of range: ${issue.message}.`, details);
  }
  const refusal = refuseField('invalid', name, `The field ${name} is invalid: ${issue.message}.`, details.path);
  const [, index] = issue.path;
  return name === OPERATIONS && typeof index === 'number' ? { ...refusal, details: { ...details, index } } : refusal;
}

/** The list whose items are commands. A refusal contains the index of its item (GEN14). */
const OPERATIONS = 'operations';

/**
 * Converts a query value to the type of its schema. A value of another form stays text, and the
 * schema refuses it.
 */
function fromText(schema: z.ZodType, value: string): unknown {
  const { type, nullable, item } = unwrap(schema);
  if (value === 'null' && nullable) return null;
  if (type !== 'list') return fromTextOf(type, value);
  const items = value.split(',');
  const itemType = item === undefined ? 'string' : unwrap(item).type;
  return TYPED.has(itemType) ? items.map((each) => fromTextOf(itemType, each)) : items;
}

/** The types whose values are not texts. */
const TYPED: ReadonlySet<string> = new Set(['number', 'boolean']);

function fromTextOf(type: string, value: string): unknown {
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function unwrap(schema: z.ZodType): { type: string; nullable: boolean; item?: z.ZodType } {
  let current = schema;
  let nullable = false;
  for (let depth = 0; depth < 8; depth++) {
    const definition = current.def as { type: string; innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType };
    if (definition.type === 'nullable') nullable = true;
    // `list` counts its items in a transformation before the array.
    if (definition.out instanceof z.ZodArray) {
      return { type: 'list', nullable, item: definition.out.element as z.ZodType };
    }
    const inner = definition.innerType ?? definition.in;
    if (inner === undefined) return { type: definition.type, nullable };
    current = inner;
  }
  return { type: 'unknown', nullable };
}
