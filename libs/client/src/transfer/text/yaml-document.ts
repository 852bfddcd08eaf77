// Reads YAML of files: one document of bounded size and depth, with the lines of its maps. Rule: IO2.
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { BrokenFile } from '../graph/transfer-graph.ts';

/** Characters of a document. The largest configurations that programs accept are smaller. */
const MAXIMUM_LENGTH = 512 * 1024;
/** Values, counted at each place where an anchor repeats them. */
const MAXIMUM_VALUES = 200_000;
const MAXIMUM_DEPTH = 100;

export interface YamlDocument {
  readonly value: unknown;
  /** The line of a map or list of the document, from 1; null for other values. */
  lineOf(value: unknown): number | null;
}

/** Throws a BrokenFile. */
export function readYaml(text: string): YamlDocument {
  if (text.length > MAXIMUM_LENGTH)
    throw new BrokenFile(null, `a YAML document has more than ${MAXIMUM_LENGTH} characters`);
  const lines = new WeakMap<object, number>();
  const open: number[] = [];
  const listener = (event: 'open' | 'close', { line, result }: { line: number; result: unknown }) => {
    if (event === 'open') open.push(line + 1);
    else {
      const start = open.pop();
      if (typeof result === 'object' && result !== null && start !== undefined && !lines.has(result))
        lines.set(result, start);
    }
  };
  const value = loaded(text, listener as never);
  let count = 0;
  const countValues = (each: unknown, depth: number): void => {
    if (++count > MAXIMUM_VALUES) throw new BrokenFile(null, `it has more than ${MAXIMUM_VALUES} values`);
    if (depth > MAXIMUM_DEPTH) throw new BrokenFile(null, `it is nested more than ${MAXIMUM_DEPTH} levels deep`);
    if (typeof each === 'object' && each !== null)
      for (const inner of Object.values(each)) countValues(inner, depth + 1);
  };
  countValues(value, 0);
  return { value, lineOf: (each) => (typeof each === 'object' && each !== null ? (lines.get(each) ?? null) : null) };
}

function loaded(text: string, listener: (this: never) => void): unknown {
  try {
    return load(text.replace(/^\uFEFF/, ''), { schema: CORE_SCHEMA, listener });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error as YAMLException;
    throw new BrokenFile(mark === undefined ? null : mark.line + 1, `it is not valid YAML: ${reason}`);
  }
}
