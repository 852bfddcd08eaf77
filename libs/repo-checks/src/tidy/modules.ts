// The form of every module: a head comment, no re-exports, no decorators, and functions that fit a screen.
// Biome reports default exports (noDefaultExport). Its noBarrelFile ignores exports of types, and its
// noExcessiveLinesPerFunction counts the lines of inner functions too, so both checks are here.
import { headComment, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

/** The most lines of a function, without the lines of its inner functions. */
const LONGEST_FUNCTION = 100;

/** The entry points of the published package. They export the package's parts. */
const ROOTS: ReadonlySet<string> = new Set(['libs/client/src/client.ts', 'libs/client/src/transfer/transfer.ts']);

/** VitePress loads the theme by this name. */
const NAMED_BY_TOOLS: ReadonlySet<string> = new Set(['docs/site/.vitepress/theme/index.js']);

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
  // A test needs none: its name and its titles describe it.
  if (source.path.endsWith('.test.ts') || headComment(source) !== '') return [];
  const fix = 'begin it with one sentence about its purpose.';
  return [{ path: source.path, rule: 'the file does not begin with a comment.', fix }];
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
    // The first line of an inner function also counts for the outer one.
    if (outer !== undefined) own.set(outer, (own.get(outer) ?? 0) - linesOf(node) + 1);
  });
  for (const [{ start }, lines] of own) {
    if (lines <= LONGEST_FUNCTION) continue;
    const rule = `a function has ${lines} lines of its own, more than ${LONGEST_FUNCTION}.`;
    problems.push({ path: source.path, at: start, rule, fix: 'move its steps into named functions.' });
  }
  return problems;
}

function isFunction({ type }: SyntaxNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** The properties of a spread literal belong into the outer literal. */
function checkSpreads(source: Source): Problem[] {
  const problems: Problem[] = [];
  walk(source.code?.program, (node, above) => {
    if (node.type !== 'SpreadElement') return;
    const outer = above.at(-1)?.type;
    const inner = withoutWrapper(node.argument as SyntaxNode).type;
    const isObject = inner === 'ObjectExpression' && outer === 'ObjectExpression';
    if (!isObject && !(inner === 'ArrayExpression' && outer !== 'ObjectExpression')) return;
    const rule = 'it spreads a literal into another one.';
    problems.push({ path: source.path, at: node.start, rule, fix: 'write its items in the outer literal.' });
  });
  return problems;
}

function withoutWrapper(node: SyntaxNode): SyntaxNode {
  const isWrapped = /^(ParenthesizedExpression|TSAsExpression|TSSatisfiesExpression)$/.test(node.type);
  return isWrapped ? withoutWrapper(node.expression as SyntaxNode) : node;
}

function checkExports(source: Source): Problem[] {
  const problems: Problem[] = [];
  const add = (rule: string, fix: string, at?: number) =>
    problems.push({ path: source.path, ...(at === undefined ? {} : { at }), rule, fix });
  if (/(^|\/)index\.[mc]?[jt]s$/.test(source.path) && !NAMED_BY_TOOLS.has(source.path)) {
    add('an index file is a barrel.', 'name the file after its content.');
  }
  walk(source.code?.program, (node) => {
    const isReexport = node.type === 'ExportNamedDeclaration' && node.source !== null;
    if ((node.type === 'ExportAllDeclaration' || isReexport) && !ROOTS.has(source.path)) {
      add(
        'it exports a name that another file declares.',
        'import the declaring file where the name is used.',
        node.start,
      );
    }
    // Biome's noImportCycles does not see this form.
    if (node.type === 'TSImportType' && (node.source as { value?: string } | null)?.value?.startsWith('.')) {
      add('it names a type of another file by `import(...)`.', 'import the type at the top of the file.', node.start);
    }
    if (node.type === 'Decorator') {
      add('it uses a decorator.', 'write a plain function or a factory.', node.start);
    }
  });
  return problems;
}
