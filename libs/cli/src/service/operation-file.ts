// Parses a YAML file for `taskgraph apply`: a list of operations, each with its event and payload.
import { type Calls, TimeFault } from '@taskgraph/client';
import { BrokenFile } from '@taskgraph/client/transfer';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { CliError } from '../failures.ts';
import { isWholeId } from '../graph/references.ts';
import { withTimes } from './times.ts';

type Operation = Calls['batch:run']['payload']['operations'][number];

/** Several times the maximum size of 500 operations. */
export const YAML_BYTES = 1024 * 1024;
const MAXIMUM_OPERATIONS = 500;
/** Aliases in one document. Each may expand to a large value. */
const MAXIMUM_ALIASES = 100;
/**
 * Characters of all operations with aliases expanded. The service has the same maximum in bytes for
 * a body.
 */
const MAXIMUM_CHARACTERS = 256 * 1024;
/** Fields that refer to nodes. */
const NODE_FIELDS = ['id', 'source', 'target'] as const;

/**
 * Parses a list of operations, at the top or in `operations`. Each is `{event, payload, as}`, as in
 * the API, or `{"node:add": payload, as}`. `find` resolves words that are neither ids nor names to
 * an id. Throws a CliError.
 */
export async function parseOperationFile(
  text: string,
  path: string,
  find: (reference: string) => Promise<string>,
): Promise<Operation[]> {
  try {
    return await resolveNodes(parseOperations(text), find);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    const where = error.line === null ? path : `${path}:${error.line}`;
    throw new CliError('usage', `${where}: ${error.reason}`, 'Nothing was changed. docs/cli.md has an example.');
  }
}

function parseOperations(text: string): Operation[] {
  const lines = new LineCounter();
  const lineOf = (node: unknown) => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line;
  const document = parseYaml(text, lines);
  const [error] = document.errors;
  if (error !== undefined)
    throw new BrokenFile(error.linePos?.[0].line ?? null, error.message.split('\n')[0] ?? 'it is not YAML');
  const top = isMap(document.contents) ? document.contents.get('operations', true) : document.contents;
  rejectDuplicateNames(document, lineOf);
  if (!isSeq(top)) throw new BrokenFile(1, 'it must be a list of operations');
  if (top.items.length === 0 || top.items.length > MAXIMUM_OPERATIONS)
    throw new BrokenFile(1, `it must have 1 to ${MAXIMUM_OPERATIONS} operations`);
  let remaining = MAXIMUM_CHARACTERS;
  return top.items.map((item) => {
    const line = lineOf(item);
    if (!isMap(item)) throw new BrokenFile(line, 'an operation must be an object');
    if (item.items.some(({ key }) => !isScalar(key) || typeof key.value !== 'string'))
      throw new BrokenFile(line, 'a name must be a string');
    const value: unknown = parseOrReject(() => item.toJS(document, { maxAliasCount: MAXIMUM_ALIASES }), line);
    remaining -= charactersOf(value, remaining);
    if (remaining < 0)
      throw new BrokenFile(
        line,
        `the operations have more than ${MAXIMUM_CHARACTERS} characters with aliases expanded`,
      );
    return operationOf(value as Record<string, unknown>, line);
  });
}

/**
 * Counts at least the characters of the JSON. Stops past the bound, because aliases may expand
 * without limit or contain themselves.
 */
function charactersOf(value: unknown, bound: number): number {
  let count = 0;
  const open = [value];
  while (open.length > 0 && count <= bound) {
    const next = open.pop();
    count += 1 + (typeof next === 'string' ? next.length : 0);
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, inner] of Object.entries(next)) {
      count += name.length;
      open.push(inner);
    }
  }
  return count;
}

/** Rejects duplicate names in linear time. The parser's own check takes quadratic time. */
function rejectDuplicateNames(document: Document.Parsed, lineOf: (node: unknown) => number): void {
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) throw new BrokenFile(lineOf(key), 'a name occurs twice in one object');
        names.add(key.value);
      }
    },
  });
}

/** Parses the text. The parser recurses, so deep nesting exceeds its call stack. */
function parseYaml(text: string, lineCounter: LineCounter) {
  const plain = text.replace(/^\uFEFF/, '');
  return parseOrReject(() => parseDocument(plain, { lineCounter, prettyErrors: true, uniqueKeys: false }), null);
}

function parseOrReject<T>(read: () => T, line: number | null): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new BrokenFile(line, 'it is nested too deeply');
    if (error instanceof ReferenceError) throw new BrokenFile(line, 'it has too many aliases, or an undefined one');
    throw error;
  }
}

function operationOf({ as, event, payload, ...others }: Record<string, unknown>, line: number): Operation {
  const names = Object.keys(others);
  if (as !== undefined && typeof as !== 'string') throw new BrokenFile(line, '"as" must be a string');
  const name = as === undefined ? {} : { as };
  const [own] = names;
  if (typeof event === 'string' && names.length === 0)
    return { event, payload: fieldsOf(event, payload, line), ...name } as Operation;
  if (event === undefined && payload === undefined && own !== undefined && names.length === 1) {
    return { event: own, payload: fieldsOf(own, others[own], line), ...name } as Operation;
  }
  throw new BrokenFile(
    line,
    'an operation is its event with its fields, such as "node:add: {title: Go live}", and optionally "as"',
  );
}

function fieldsOf(event: string, payload: unknown, line: number): object {
  if (payload === undefined || payload === null) return {};
  if (typeof payload !== 'object' || Array.isArray(payload))
    throw new BrokenFile(line, 'the fields of an operation must be an object');
  try {
    return withTimes(event, payload);
  } catch (error) {
    throw error instanceof TimeFault ? new BrokenFile(line, error.message) : error;
  }
}

/** Resolves words that are neither ids nor names of the file to the ids of nodes. */
async function resolveNodes(
  operations: readonly Operation[],
  find: (reference: string) => Promise<string>,
): Promise<Operation[]> {
  const resolved: Operation[] = [];
  for (const operation of operations) {
    const payload: Record<string, unknown> = { ...(operation.payload as object) };
    // The id of a link is always written as an id.
    const isLinkId = operation.event.startsWith('link:') && operation.event !== 'link:add';
    for (const field of isLinkId ? [] : NODE_FIELDS) {
      const reference = payload[field];
      if (typeof reference === 'string' && !reference.startsWith('$') && !isWholeId(reference))
        payload[field] = await find(reference);
    }
    resolved.push({ ...operation, payload });
  }
  return resolved;
}
