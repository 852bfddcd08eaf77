// The files of the repository for the checks: path, text and, for code, the syntax tree.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Comment, type EcmaScriptModule, type Program, parseSync } from 'oxc-parser';

/** One file. `path` is relative to the repository, with slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** Null if the file is neither TypeScript nor JavaScript. */
  readonly code: Code | null;
}

export interface Code {
  readonly program: Program;
  readonly module: EcmaScriptModule;
  readonly comments: readonly Comment[];
}

/** A problem, its place, and its fix. */
export interface Problem {
  readonly path: string;
  /** Position in the text; undefined for the whole file. */
  readonly at?: number;
  readonly rule: string;
  readonly fix: string;
}

export type Check = (sources: readonly Source[]) => Problem[];

/** Any node of the syntax tree, without its specific type: the checks read few of its fields. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const REPOSITORY = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));

/** Reads all files that .gitignore does not exclude. */
export function readRepository(): Source[] {
  const patterns = readFileSync(join(REPOSITORY, '.gitignore'), 'utf8').split('\n').filter(Boolean);
  const ignored = ['.git', ...patterns.map((pattern) => pattern.replace(/\/$/, ''))];
  return listFiles('', ignored).map((path) => sourceOf(path, readFileSync(join(REPOSITORY, path), 'utf8')));
}

/** .gitignore contains only names, and `*` with an ending. */
function listFiles(folder: string, ignored: readonly string[]): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    const isIgnored = (pattern: string) =>
      pattern.startsWith('*') ? entry.name.endsWith(pattern.slice(1)) : entry.name === pattern;
    if (ignored.some(isIgnored)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(path, ignored);
    return entry.isFile() ? [path] : [];
  });
}

/** Creates a source from a text, and parses it if its name is that of code. */
export function sourceOf(path: string, text: string): Source {
  if (!/\.(tsx?|mts|mjs|js)$/.test(path)) return { path, text, code: null };
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} can't be parsed: ${errors[0]?.message}`);
  return { path, text, code: { program, module, comments } };
}

const TEST_PACKAGES = ['libs/testkit/', 'libs/reference-model/', 'libs/repo-checks/', 'loadtest/fault-test/'];

/** Tests, and packages that only tests use. They may import more than shipped code. */
export function isTest({ path }: Pick<Source, 'path'>): boolean {
  return (
    /\.(test|setup)\.ts$/.test(path) ||
    path.includes('/src/test/') ||
    TEST_PACKAGES.some((folder) => path.startsWith(folder))
  );
}

/**
 * Calls the visitor for a node and all nodes below it, with the chain of nodes above, nearest last.
 */
export function walk(
  root: unknown,
  visit: (node: SyntaxNode, above: readonly SyntaxNode[]) => void,
  above: readonly SyntaxNode[] = [],
): void {
  if (Array.isArray(root)) {
    for (const item of root) walk(item, visit, above);
    return;
  }
  if (!isNode(root)) return;
  visit(root, above);
  const below = [...above, root];
  for (const value of Object.values(root)) if (typeof value === 'object') walk(value, visit, below);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The comment at the top of a file, its lines joined; '' if there is none. */
export function headComment({ text, code }: Source): string {
  const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  let end = start;
  const lines: string[] = [];
  for (const comment of code?.comments ?? []) {
    if (text.slice(end, comment.start).trim() !== '' || comment.start - end > 2) break;
    lines.push(comment.value);
    end = comment.end;
  }
  return lines.join('\n').trim();
}

/** One line with place, problem and fix. */
export function describeProblem({ path, at, rule, fix }: Problem, sources: readonly Source[]): string {
  const text = sources.find((source) => source.path === path)?.text ?? '';
  const line = at === undefined ? '' : `:${text.slice(0, at).split('\n').length}`;
  return `${path}${line}: ${rule} Fix: ${fix}`;
}
