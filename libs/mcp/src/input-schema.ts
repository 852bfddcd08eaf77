// The arguments of tools: JSON Schemas in the subset that all clients accept, and their check. A
// schema has no references, alternatives, constants, patterns or null.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { ToolFailure } from './service.ts';

export type InputSchema =
  | (Described & { readonly type: 'string'; readonly enum?: readonly string[] })
  | (Described & { readonly type: 'integer'; readonly minimum: number; readonly maximum: number })
  | (Described & { readonly type: 'boolean' })
  | (Described & { readonly type: 'array'; readonly items: InputSchema; readonly maxItems: number })
  | ObjectSchema;

/** Where the name says it all, a description would only make the list of tools longer. */
interface Described {
  readonly description?: string;
}

export interface ObjectSchema extends Described {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, InputSchema>>;
  readonly required?: string[];
}

/** UTF-16 units of an argument; longer than any text that the service accepts. */
const LONGEST_TEXT = 100_000;

export function text(description?: string): InputSchema {
  return { type: 'string', ...definedFields({ description }) };
}

export function choice(values: readonly string[], description?: string): InputSchema {
  return { type: 'string', enum: values, ...definedFields({ description }) };
}

export function integer(minimum: number, maximum: number, description?: string): InputSchema {
  return { type: 'integer', minimum, maximum, ...definedFields({ description }) };
}

export function flag(description?: string): InputSchema {
  return { type: 'boolean', ...definedFields({ description }) };
}

export function list(items: InputSchema, maxItems: number, description?: string): InputSchema {
  return { type: 'array', items, maxItems, ...definedFields({ description }) };
}

export function object(properties: ObjectSchema['properties'], ...required: string[]): ObjectSchema {
  return required.length === 0 ? { type: 'object', properties } : { type: 'object', properties, required };
}

/** Throws a ToolFailure that names the first argument that does not fit. */
export function checkArguments(schema: ObjectSchema, given: unknown): void {
  check(schema, given, '');
}

function check(schema: InputSchema, value: unknown, path: string): void {
  switch (schema.type) {
    case 'object':
      checkObject(schema, value, path);
      return;
    case 'array':
      checkList(schema, value, path);
      return;
    case 'string':
      if (typeof value !== 'string' || value.length > LONGEST_TEXT) throw fault(path, 'must be a text');
      if (schema.enum?.includes(value) === false) throw fault(path, `must be one of ${schema.enum.join(', ')}`);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') throw fault(path, 'must be true or false');
      return;
    case 'integer': {
      const { minimum, maximum } = schema;
      const isInRange = Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
      if (!isInRange) throw fault(path, `must be an integer from ${minimum} to ${maximum}`);
    }
  }
}

function checkList({ items, maxItems }: InputSchema & { type: 'array' }, value: unknown, path: string): void {
  if (!Array.isArray(value) || value.length > maxItems) throw fault(path, `must be a list of at most ${maxItems}`);
  for (const [index, item] of value.entries()) check(items, item, `${path}[${index}]`);
}

function checkObject({ properties, required = [] }: ObjectSchema, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault(path, 'must be an object');
  const fields = value as Record<string, unknown>;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(properties, name)) continue;
    const known = Object.keys(properties).join(', ');
    throw fault(at(name.slice(0, 100)), `is not known; there are ${known}`);
  }
  for (const name of required) if (fields[name] === undefined) throw fault(at(name), 'is missing');
  for (const [name, schema] of Object.entries(properties)) {
    if (fields[name] !== undefined) check(schema, fields[name], at(name));
  }
}

function fault(path: string, problem: string): ToolFailure {
  const named = path === '' ? 'The arguments' : `The argument ${JSON.stringify(path)}`;
  return new ToolFailure('bad_request.invalid_arguments', `${named} ${problem}.`);
}
