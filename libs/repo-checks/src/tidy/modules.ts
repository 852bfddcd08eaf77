// The form of every module: a comment at its top, named exports, no barrels, no decorators, and functions that fit a screen.
import { headComment, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

/** Most lines of a function, without those of the functions inside it. */
const LONGEST_FUNCTION = 130;

/** Tools that find their file's content by its default export. */
const DEFAULT_EXPORTS = /\.(config|setup)\.ts$/;

/** A package that others install has a file for each of its subjects that hands out what it is made of. */
const ROOTS: ReadonlySet<string> = new Set(['libs/client/src/client.ts', 'libs/client/src/transfer/transfer.ts']);

export function checkModules(sources: readonly Source[]): Problem[] {
  return sources
    .filter(({ code }) => code !== null)
    .flatMap((source) => [
      ...checkHead(source),
      ...checkFunctions(source),
      ...checkSpreads(source),
      ...checkExports(source),
    ]);
}

function checkHead(source: Source): Problem[] {
  // A test is about the file that it stands beside, and its titles say the rest.
  if (source.path.endsWith('.test.ts') || headComment(source) !== '') return [];
  const fix = 'open it with one sentence on what it is for.';
  return [{ path: source.path, rule: 'the file does not open with a comment.', fix }];
}

function checkFunctions(source: Source): Problem[] {
  if (source.path.endsWith('.test.ts')) return [];
  const problems: Problem[] = [];
  const own = new Map<SyntaxNode, number>();
  const linesOf = ({ start, end }: SyntaxNode) => source.text.slice(start, end).split('\n').length;
  walk(source.code?.program, (node, above) => {
    if (!isFunction(node)) return;
    own.set(node, linesOf(node));
    const outer = above.findLast(isFunction);
    // The line on which an inner function begins is part of the outer one.
    if (outer !== undefined) own.set(outer, (own.get(outer) ?? 0) - linesOf(node) + 1);
  });
  for (const [{ start }, lines] of own) {
    if (lines <= LONGEST_FUNCTION) continue;
    const rule = `a function has ${lines} lines of its own, more than ${LONGEST_FUNCTION}.`;
    problems.push({ path: source.path, at: start, rule, fix: 'move its steps into functions with names.' });
  }
  return problems;
}

function isFunction({ type }: SyntaxNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** A spread of a literal only joins lines: its properties belong to the outer literal. */
function checkSpreads(source: Source): Problem[] {
  const problems: Problem[] = [];
  walk(source.code?.program, (node, above) => {
    if (node.type !== 'SpreadElement') return;
    const outer = above.at(-1)?.type;
    const inner = withoutWrapping(node.argument as SyntaxNode).type;
    const isObject = inner === 'ObjectExpression' && outer === 'ObjectExpression';
    if (!isObject && !(inner === 'ArrayExpression' && outer !== 'ObjectExpression')) return;
    const rule = 'it spreads a literal into another one.';
    problems.push({ path: source.path, at: node.start, rule, fix: 'write its items in the outer literal.' });
  });
  return problems;
}

function withoutWrapping(node: SyntaxNode): SyntaxNode {
  const isWrapped = /^(ParenthesizedExpression|TSAsExpression|TSSatisfiesExpression)$/.test(node.type);
  return isWrapped ? withoutWrapping(node.expression as SyntaxNode) : node;
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
