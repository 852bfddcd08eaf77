// The operations of a YAML file, such as `taskgraph apply` does: a list, each named by its event.
import { type Calls, TimeFault } from '@taskgraph/client';
import { BrokenFile } from '@taskgraph/client/transfer';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { CliError } from '../failures.ts';
import { isWholeId } from '../graph/references.ts';
import { withTimes } from './times.ts';

type Operation = Calls['batch:run']['payload']['operations'][number];

/** Several times as much as 500 operations can have. */
export const YAML_BYTES = 1024 * 1024;
const MOST_OPERATIONS = 500;
/** Aliases of one document, each of which may stand for much. */
const MOST_ALIASES = 100;
/** Characters of all operations once aliases are written out: what a body of the service may have in bytes. */
const MOST_CHARACTERS = 256 * 1024;
/** Fields that name nodes. */
const NODE_FIELDS = ['id', 'source', 'target'] as const;

/**
 * Reads a list of operations, by itself or as `operations`: `{event, payload, as}` as the service has them, or `{"node:add": payload, as}`. Where an id is due,
 * `find` gives that of other words than ids and names. Throws a CliError.
 */
export async function operationsIn(
  text: string,
  path: string,
  find: (words: string) => Promise<string>,
): Promise<Operation[]> {
  try {
    return await resolved(parsed(text), find);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    const where = error.line === null ? path : `${path}:${error.line}`;
    throw new CliError('usage', `${where}: ${error.reason}`, 'Nothing was done. docs/cli.md has an example.');
  }
}

function parsed(text: string): Operation[] {
  const lines = new LineCounter();
  const lineOf = (node: unknown) => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line;
  const document = parsedDocument(text, lines);
  const [error] = document.errors;
  if (error !== undefined)
    throw new BrokenFile(error.linePos?.[0].line ?? null, error.message.split('\n')[0] ?? 'it is no YAML');
  const top = isMap(document.contents) ? document.contents.get('operations', true) : document.contents;
  refuseDoubles(document, lineOf);
  if (!isSeq(top)) throw new BrokenFile(1, 'it must be a list of operations');
  if (top.items.length === 0 || top.items.length > MOST_OPERATIONS)
    throw new BrokenFile(1, `it must have 1 to ${MOST_OPERATIONS} operations`);
  let left = MOST_CHARACTERS;
  return top.items.map((item) => {
    const line = lineOf(item);
    if (!isMap(item)) throw new BrokenFile(line, 'an operation must be an object');
    if (item.items.some(({ key }) => !isScalar(key) || typeof key.value !== 'string'))
      throw new BrokenFile(line, 'a name must be a text');
    const value: unknown = plainValue(() => item.toJS(document, { maxAliasCount: MOST_ALIASES }), line);
    left -= charactersOf(value, left);
    if (left < 0)
      throw new BrokenFile(line, `the operations have more than ${MOST_CHARACTERS} characters, aliases written out`);
    return operationOf(value as Record<string, unknown>, line);
  });
}

/** At least as many as its JSON has, counted no further than past the bound: aliases may make of little much, and of a value its own part. */
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

/** The parser's own look for them compares each name with all others. */
function refuseDoubles(document: Document.Parsed, lineOf: (node: unknown) => number): void {
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) throw new BrokenFile(lineOf(key), 'a name stands twice in one object');
        names.add(key.value);
      }
    },
  });
}

/** The parser goes down into what is nested call by call. */
function parsedDocument(text: string, lineCounter: LineCounter) {
  const plain = text.replace(/^\uFEFF/, '');
  return plainValue(() => parseDocument(plain, { lineCounter, prettyErrors: true, uniqueKeys: false }), null);
}

function plainValue<T>(read: () => T, line: number | null): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new BrokenFile(line, 'it is nested too deeply');
    if (error instanceof ReferenceError)
      throw new BrokenFile(line, 'it has too many aliases, or one that names nothing');
    throw error;
  }
}

function operationOf({ as, event, payload, ...others }: Record<string, unknown>, line: number): Operation {
  const names = Object.keys(others);
  if (as !== undefined && typeof as !== 'string') throw new BrokenFile(line, '"as" must be a text');
  const name = as === undefined ? {} : { as };
  const [own] = names;
  if (typeof event === 'string' && names.length === 0)
    return { event, payload: fieldsOf(event, payload, line), ...name } as Operation;
  if (event === undefined && payload === undefined && own !== undefined && names.length === 1) {
    return { event: own, payload: fieldsOf(own, others[own], line), ...name } as Operation;
  }
  throw new BrokenFile(
    line,
    'an operation is its event with its fields, such as "node:add: {title: Go live}", and perhaps "as"',
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

/** Words that are neither ids nor names of the file stand for nodes, as in every command. */
async function resolved(
  operations: readonly Operation[],
  find: (words: string) => Promise<string>,
): Promise<Operation[]> {
  const found: Operation[] = [];
  for (const operation of operations) {
    const payload: Record<string, unknown> = { ...(operation.payload as object) };
    // The ids of links are ids.
    const isOfLink = operation.event.startsWith('link:') && operation.event !== 'link:add';
    for (const field of isOfLink ? [] : NODE_FIELDS) {
      const words = payload[field];
      if (typeof words === 'string' && !words.startsWith('$') && !isWholeId(words)) payload[field] = await find(words);
    }
    found.push({ ...operation, payload });
  }
  return found;
}
