// The operations of a YAML file, such as `taskgraph apply` does: a list, each named by its event.
import type { Calls } from '@taskgraph/client';
import { BrokenFile } from '@taskgraph/client/transfer';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { CliError } from '../failures.ts';
import { isWholeId } from '../graph/references.ts';
import { printable } from '../output/losses.ts';

type Operation = Calls['batch:run']['payload']['operations'][number];

/** Several times as much as 500 operations can have. */
export const YAML_BYTES = 1024 * 1024;
const MOST_OPERATIONS = 500;
/** Aliases of one document, each of which may stand for much. */
const MOST_ALIASES = 100;
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
    throw new CliError(
      'usage',
      printable(`${where}: ${error.reason}`),
      'Nothing was done. docs/cli.md has an example.',
    );
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
  if (!isSeq(top)) throw new BrokenFile(1, 'it must be a list of operations');
  if (top.items.length === 0 || top.items.length > MOST_OPERATIONS)
    throw new BrokenFile(1, `it must have 1 to ${MOST_OPERATIONS} operations`);
  return top.items.map((item) => {
    const line = lineOf(item);
    if (!isMap(item)) throw new BrokenFile(line, 'an operation must be an object');
    if (item.items.some(({ key }) => !isScalar(key) || typeof key.value !== 'string'))
      throw new BrokenFile(line, 'a name must be a text');
    return operationOf(
      plainValue(() => item.toJS(document, { maxAliasCount: MOST_ALIASES }), line) as Record<string, unknown>,
      line,
    );
  });
}

/** The parser goes down into what is nested call by call. */
function parsedDocument(text: string, lineCounter: LineCounter) {
  return plainValue(() => parseDocument(text, { lineCounter, prettyErrors: true }), null);
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
  if (typeof event === 'string' && names.length === 0) return { event, payload: payload ?? {}, ...name } as Operation;
  const [own] = names;
  if (event === undefined && payload === undefined && own !== undefined && names.length === 1) {
    return { event: own, payload: others[own] ?? {}, ...name } as Operation;
  }
  throw new BrokenFile(
    line,
    'an operation is its event with its fields, such as "node:add: {title: Go live}", and perhaps "as"',
  );
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
