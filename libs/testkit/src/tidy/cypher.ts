// Cypher stands in libs/graph-store alone, each statement a named constant with its contract, and nothing is put into its text.
import { isTest, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

const FOLDER = 'libs/graph-store/src/';
/** The bench measures the bare driver, and so speaks to it by itself. */
const BARE_DRIVER = 'loadtest/bench/';

const KEYWORD = /\b(MATCH|UNWIND|CREATE|MERGE)\b/;
const STATEMENT = /\b(MATCH|CREATE|MERGE) ?\(|\bUNWIND (\$|\[)/;
const CONTRACT = ['In:', 'Out:', 'Locks:', 'Cost:'];

/**
 * Where text is put into Cypher, by file and top-level declaration: labels, keys and relationship types, which no parameter can stand
 * for, out of a closed list that no request can add to.
 */
const INTERPOLATED: Readonly<Record<string, readonly string[]>> = {
  [`${FOLDER}write-statement.ts`]: ['createLinks', 'updateLinks', 'deleteLinks'],
  [`${FOLDER}migrations.ts`]: ['migrations'],
  [`${FOLDER}export-statements.ts`]: [
    ...['readNodes', 'readRelationships', 'countNodes', 'countRelationships', 'createNodes', 'createRelationships'],
  ],
};

interface Found {
  readonly at: number;
  /** The top-level declaration that it stands in; '' for none. */
  readonly declaration: string;
  /** Where the statement begins, `export` included. */
  readonly declaredAt: number;
  /** Whether the literal is the constant's value, or in a map or list of it, and not inside a function. */
  readonly constant: boolean;
  readonly interpolated: boolean;
}

export function checkCypher(sources: readonly Source[]): Problem[] {
  return sources.filter((source) => !isTest(source)).flatMap(checkSource);
}

function checkSource(source: Source): Problem[] {
  if (source.path.startsWith(FOLDER)) {
    const found = cypherIn(source, KEYWORD);
    return found.flatMap((cypher) => [...checkInterpolation(source, cypher), ...checkContract(source, cypher)]);
  }
  if (source.path.startsWith(BARE_DRIVER)) return [];
  return cypherIn(source, STATEMENT).map(({ at }) => ({
    path: source.path,
    at,
    rule: 'there is Cypher outside libs/graph-store.',
    fix: 'write a function there that does what is needed, and call it.',
  }));
}

function cypherIn(source: Source, pattern: RegExp): Found[] {
  const found: Found[] = [];
  walk(source.code?.program, (node, above) => {
    if (!pattern.test(textOf(node))) return;
    const parent = above.at(-1);
    const [, statement] = above;
    const declared = statement?.type === 'ExportNamedDeclaration' ? (statement.declaration as SyntaxNode) : statement;
    const [variable] = (declared?.declarations ?? []) as SyntaxNode[];
    const name = (variable?.id ?? declared?.id) as SyntaxNode | undefined;
    found.push({
      at: node.start,
      declaration: (name?.name as string | undefined) ?? '',
      declaredAt: statement?.start ?? 0,
      constant: variable !== undefined && !above.some(({ type }) => /Function/.test(type)),
      interpolated: isInterpolated(node, parent),
    });
  });
  return found;
}

function textOf(node: SyntaxNode): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return '';
  return (node.quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join(' ');
}

function isInterpolated(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  const holes = (node.expressions as unknown[] | undefined)?.length ?? 0;
  return holes > 0 || parent?.type === 'BinaryExpression' || parent?.type === 'TaggedTemplateExpression';
}

function checkInterpolation(source: Source, { at, declaration, interpolated }: Found): Problem[] {
  if (!interpolated || INTERPOLATED[source.path]?.includes(declaration)) return [];
  const rule = 'text is put into Cypher.';
  return [{ path: source.path, at, rule, fix: 'write the statement out, and hand values in as parameters.' }];
}

function checkContract(source: Source, { at, declaration, declaredAt, constant }: Found): Problem[] {
  // Those functions are called in constants that have the contract, and a migration says its reason instead.
  if (INTERPOLATED[source.path]?.includes(declaration)) return [];
  if (!constant || !/^[A-Z][A-Z0-9_]*$/.test(declaration)) {
    const fix = 'make it a constant of the module, such as LOAD_NODES.';
    return [{ path: source.path, at, rule: 'a Cypher statement has no name of its own.', fix }];
  }
  const comment = (source.code?.comments ?? []).findLast(({ end }) => end <= declaredAt);
  const isAdjacent = comment !== undefined && source.text.slice(comment.end, declaredAt).trim() === '';
  const missing = CONTRACT.filter((part) => !isAdjacent || !comment.value.includes(part));
  if (missing.length === 0) return [];
  const rule = `the comment above ${declaration} does not say ${missing.join(' ')}`;
  return [{ path: source.path, at, rule, fix: 'write /** In: ... Out: ... Locks: ... Cost: ... */ above it.' }];
}
