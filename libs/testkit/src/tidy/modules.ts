// The form of every module of ours: a comment at its top, named exports, no barrels, no decorators, and a bounded length.
import { headComment, type Problem, type Source, walk } from './source.ts';

const LONGEST_LINES = 250;

/** Tools that find their file's content by its default export. */
const DEFAULT_EXPORTS = /\.(config|setup)\.ts$/;

/** A package that others install has a file for each of its subjects that hands out what it is made of. */
const ROOTS: ReadonlySet<string> = new Set(['libs/client/src/client.ts', 'libs/client/src/transfer/transfer.ts']);

export function checkModules(sources: readonly Source[]): Problem[] {
  return sources
    .filter(({ code }) => code !== null)
    .flatMap((source) => [...checkHead(source), ...checkLength(source), ...checkExports(source)]);
}

function checkHead(source: Source): Problem[] {
  // A test is about the file that it stands beside, and its titles say the rest.
  if (source.path.endsWith('.test.ts') || headComment(source) !== '') return [];
  const fix = 'open it with one sentence on what it is for.';
  return [{ path: source.path, rule: 'the file does not open with a comment.', fix }];
}

function checkLength(source: Source): Problem[] {
  const lines = source.text.trimEnd().split('\n').length;
  if (lines <= LONGEST_LINES || source.path.endsWith('.test.ts') || /\blong/i.test(headComment(source))) return [];
  const rule = `${lines} lines are more than ${LONGEST_LINES}.`;
  const fix = 'split it by what its parts are about, or say in its head comment why it is long.';
  return [{ path: source.path, rule, fix }];
}

function checkExports(source: Source): Problem[] {
  const problems: Problem[] = [];
  const add = (rule: string, fix: string, at?: number) =>
    problems.push({ path: source.path, ...(at === undefined ? {} : { at }), rule, fix });
  if (/(^|\/)index\.[mc]?[jt]s$/.test(source.path)) {
    add('an index file is a barrel.', 'name the file after its content, and import that file.');
  }
  walk(source.code?.program, (node) => {
    const isReexport = node.type === 'ExportNamedDeclaration' && node.source !== null;
    if ((node.type === 'ExportAllDeclaration' || isReexport) && !ROOTS.has(source.path)) {
      add('it exports what another file declares.', 'let users import the file that declares it.', node.start);
    }
    if (node.type === 'ExportDefaultDeclaration' && !DEFAULT_EXPORTS.test(source.path)) {
      add('it has a default export.', 'export it by name, so that all call it the same.', node.start);
    }
    if (node.type === 'Decorator') {
      add('it uses a decorator.', 'write a plain function or a factory.', node.start);
    }
  });
  return problems;
}
