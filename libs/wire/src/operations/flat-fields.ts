// A field whose members are parameters of a query string: `due.to` is the member `to` of its member
// `due`. Rule: FIND2.
import { z } from 'zod';

/** A parameter of a query, with its place in the field. */
interface FlatField {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
}

/**
 * The members of an object that a query can contain, by the names of their parameters: texts,
 * numbers, flags and lists of these, up to two levels deep. If a member has several forms, each
 * form has its own parameters.
 */
export function flatFields(schema: z.ZodType): ReadonlyMap<string, FlatField> {
  const fields = new Map<string, FlatField>();
  for (const [name, member] of Object.entries(shapeOf(schema) ?? {})) {
    for (const form of formsOf(member)) {
      const shape = shapeOf(form);
      if (shape === null) put(fields, [name], form);
      else for (const [inner, value] of Object.entries(shape)) put(fields, [name, inner], value);
    }
  }
  return fields;
}

/** A query cannot contain lists of objects. */
function put(fields: Map<string, FlatField>, path: readonly string[], schema: z.ZodType): void {
  if (shapeOf(itemOf(schema)) === null) fields.set(path.join('.'), { path, schema });
}

/**
 * Adds a value to an object, at a path of one or two names. If a query has two forms of one member,
 * its value becomes null, which no schema accepts.
 */
export function setAt(object: Record<string, unknown>, [name = '', inner]: readonly string[], value: unknown): void {
  const member = object[name];
  if (inner === undefined) object[name] = member === undefined ? value : null;
  else if (member === undefined) object[name] = { [inner]: value };
  else if (isObject(member)) member[inner] = value;
  else object[name] = null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The alternatives of a union, or the schema alone. */
function formsOf(schema: z.ZodType): readonly z.ZodType[] {
  const bare = withoutWrappers(schema);
  return bare instanceof z.ZodUnion ? (bare.options as z.ZodType[]) : [bare];
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | null {
  const bare = withoutWrappers(schema);
  return bare instanceof z.ZodObject ? (bare.shape as Record<string, z.ZodType>) : null;
}

/** The items of a list (`list` of fields.ts pipes a count into an array); otherwise the schema. */
function itemOf(schema: z.ZodType): z.ZodType {
  const bare = withoutWrappers(schema);
  const array = bare instanceof z.ZodPipe ? bare.out : bare;
  return array instanceof z.ZodArray ? (array.element as z.ZodType) : bare;
}

function withoutWrappers(schema: z.ZodType): z.ZodType {
  let bare = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodNullable || bare instanceof z.ZodDefault) {
    bare = bare.unwrap() as z.ZodType;
  }
  return bare;
}
