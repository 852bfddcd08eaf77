// Cypher is allowed only in libs/graph-store. Each statement is a named constant with its contract.
// Its text contains only other constants, and it names its first index.
import { isTest, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

const FOLDER = 'libs/graph-store/src/';
/** The bench measures the bare driver, so it uses it directly. */
const BARE_DRIVER = 'loadtest/bench/';

const KEYWORD = /\b(MATCH|UNWIND|CREATE|MERGE)\b/;
const STATEMENT = /\b(MATCH|CREATE|MERGE) ?\(|\bUNWIND (\$|\[)/;
const CONTRACT = ['In:', 'Out:', 'Locks:', 'Cost:'];

/** Keywords of a part that is not a complete statement. */
const PART = /\b(CALL|RETURN|WHERE|WITH|SET|DELETE|REMOVE|UNION|ORDER BY|LIMIT)\b/;
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/** A hint that permits a scan too. */
const SCANNING_HINT = /USING INDEX (?!SEEK )/;
const CLAUSES = /\b(?=MATCH |RETURN |CALL |WITH |UNWIND )/;
/** A clause that continues from a looked-up node. */
const LOOKED_UP = /^MATCH \(\w*:\w+ \{[^}]*\}\)[<-]/;

/** Statements that are created for each table of an export. */
const EXPORT = `${FOLDER}transfer/export-statements.ts`;
/** A relationship type, and the labels and keys of its ends. */
const TABLE = ['name', 'from', 'to', 'fromKey', 'toKey'];

/**
 * The exceptions in which Cypher contains more than constants, by file, top-level declaration and
 * name. They are labels, keys and relationship types, which cannot be parameters, from closed lists
 * that no request extends; and the parts of one statement, which are constants in a list.
 */
const INTERPOLATED: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  [`${FOLDER}commit/write-statement.ts`]: {
    createLinks: 'type',
    updateLinks: 'type',
    deleteLinks: 'type',
    WRITES: 'step',
  },
  [`${FOLDER}commit/load/statement.ts`]: { compose: ['part', 'lists'] },
  [`${FOLDER}migration/migrations.ts`]: { migrations: 'type' },
  [EXPORT]: {
    readNodes: 'name',
    countNodes: 'name',
    countRelationships: 'name',
    createNodes: 'name',
    readRelationships: TABLE,
    createRelationships: TABLE,
  },
};

/**
 * The functions that send a statement to the server, and the places where it is not a constant: the
 * driver's wrapper, compositions of constants, and the list of migrations.
 */
const SEND_METHODS = new Set(['run', 'read', 'write']);
const SENDERS: Readonly<Record<string, readonly string[]>> = {
  [`${FOLDER}commit/load.ts`]: ['runStatement'],
  [`${FOLDER}driver/database.ts`]: ['begin', 'once', 'openDatabase'],
  [`${FOLDER}migration/migrations.ts`]: ['migrate', 'runStep'],
  [`${FOLDER}transfer/export.ts`]: ['checkCounts'],
  [`${FOLDER}transfer/import.ts`]: ['importRecords'],
};

interface CypherLiteral {
  readonly at: number;
  /** Its top-level declaration; '' for none. */
  readonly declaration: string;
  /** The start of the statement, with `export`. */
  readonly declaredAt: number;
  readonly text: string;
  /** Whether the literal is the constant's value or a part of it, and not inside a function. */
  readonly constant: boolean;
  /** The interpolated names, and '' for other expressions. */
  readonly holes: readonly string[];
}

export function checkCypher(sources: readonly Source[]): Problem[] {
  return sources.filter((source) => !isTest(source)).flatMap(checkSource);
}

function checkSource(source: Source): Problem[] {
  if (source.path.startsWith(FOLDER)) {
    const found = cypherIn(source, KEYWORD);
    const parts = cypherIn(source, PART).filter(({ at }) => !found.some((whole) => whole.at === at));
    return [
      ...[...found, ...parts].flatMap((cypher) => checkInterpolation(source, cypher)),
      ...found.flatMap((cypher) => [...checkContract(source, cypher), ...checkHints(source, cypher)]),
      ...checkSending(source),
    ];
  }
  if (source.path.startsWith(BARE_DRIVER)) return [];
  return cypherIn(source, STATEMENT).map(({ at }) => ({
    path: source.path,
    at,
    rule: 'there is Cypher outside libs/graph-store.',
    fix: 'write a function there, and call it.',
  }));
}

function cypherIn(source: Source, pattern: RegExp): CypherLiteral[] {
  const found: CypherLiteral[] = [];
  walk(source.code?.program, (node, above) => {
    if (!pattern.test(textOf(node))) return;
    const { declaration, variable, at } = declarationOf(above);
    found.push({
      at: node.start,
      declaration,
      declaredAt: at,
      text: textOf(node),
      constant: variable !== undefined && !above.some(({ type }) => /Function/.test(type)),
      holes: holesIn(node, above.at(-1)),
    });
  });
  return found;
}

/** The top-level declaration around a node, by the nodes above it. */
function declarationOf(above: readonly SyntaxNode[]) {
  const [, statement] = above;
  const declared = statement?.type === 'ExportNamedDeclaration' ? (statement.declaration as SyntaxNode) : statement;
  const [variable] = (declared?.declarations ?? []) as SyntaxNode[];
  const name = (variable?.id ?? declared?.id) as SyntaxNode | undefined;
  return { declaration: (name?.name as string | undefined) ?? '', variable, at: statement?.start ?? 0 };
}

function textOf(node: SyntaxNode): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return '';
  return (node.quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join(' ');
}

function holesIn(node: SyntaxNode, parent: SyntaxNode | undefined): string[] {
  const holes = ((node.expressions ?? []) as SyntaxNode[]).map(({ type, name }) =>
    type === 'Identifier' ? (name as string) : '',
  );
  return parent?.type === 'BinaryExpression' || parent?.type === 'TaggedTemplateExpression' ? [...holes, ''] : holes;
}

function checkInterpolation(source: Source, { at, declaration, holes }: CypherLiteral): Problem[] {
  const allowed = INTERPOLATED[source.path]?.[declaration];
  if (holes.every((hole) => CONSTANT.test(hole) || (hole !== '' && [allowed].flat().includes(hole)))) return [];
  const rule = 'text is interpolated into Cypher.';
  return [{ path: source.path, at, rule, fix: 'write the statement in full, and pass values as parameters.' }];
}

/** The planner takes the indexes of a small database for empty and would scan them completely. */
function checkHints(source: Source, { at, text }: CypherLiteral): Problem[] {
  const unhinted = text.split(CLAUSES).some((clause) => LOOKED_UP.test(clause) && !clause.includes('USING INDEX SEEK'));
  if (!unhinted && !SCANNING_HINT.test(text)) return [];
  const rule = 'a statement permits the scan of a whole index.';
  return [{ path: source.path, at, rule, fix: 'name its first index: USING INDEX SEEK n:Node(id).' }];
}

/** A sent statement is a constant, or a choice of constants, and never composed at run time. */
function checkSending(source: Source): Problem[] {
  const problems: Problem[] = [];
  const chosen = new Map<string, boolean>();
  walk(source.code?.program, ({ type, id, init }) => {
    const name = type === 'VariableDeclarator' ? ((id as SyntaxNode).name as string | undefined) : undefined;
    if (name !== undefined) chosen.set(name, (chosen.get(name) ?? true) && isConstant(init as SyntaxNode | null));
  });
  walk(source.code?.program, (node, above) => {
    const callee = node.type === 'CallExpression' ? (node.callee as SyntaxNode) : null;
    if (callee?.type !== 'MemberExpression' || !SEND_METHODS.has((callee.property as SyntaxNode).name as string))
      return;
    if (SENDERS[source.path]?.includes(declarationOf(above).declaration)) return;
    const [statement] = node.arguments as SyntaxNode[];
    if (statement === undefined || isConstant(statement)) return;
    if (statement.type === 'Identifier' && chosen.get(statement.name as string) === true) return;
    const rule = 'a statement for the database is not a constant.';
    problems.push({ path: source.path, at: node.start, rule, fix: 'name the statement, such as LOAD_NODES.' });
  });
  return problems;
}

function isConstant(node: SyntaxNode | null): boolean {
  if (node?.type === 'ConditionalExpression') {
    return isConstant(node.consequent as SyntaxNode) && isConstant(node.alternate as SyntaxNode);
  }
  return node?.type === 'Identifier' && CONSTANT.test(node.name as string);
}

function checkContract(source: Source, { at, declaration, declaredAt, constant }: CypherLiteral): Problem[] {
  // The functions are called in constants that have the contract, and a migration gives its reason
  // instead.
  if (INTERPOLATED[source.path]?.[declaration] === 'type') return [];
  const isMade = source.path === EXPORT && INTERPOLATED[EXPORT]?.[declaration] !== undefined;
  if (!isMade && (!constant || !CONSTANT.test(declaration))) {
    const fix = 'make it a constant of the module, such as LOAD_NODES.';
    return [{ path: source.path, at, rule: 'a Cypher statement has no name.', fix }];
  }
  const comment = (source.code?.comments ?? []).findLast(({ end }) => end <= declaredAt);
  const isAdjacent = comment !== undefined && source.text.slice(comment.end, declaredAt).trim() === '';
  const missing = CONTRACT.filter((part) => !isAdjacent || !comment.value.includes(part));
  if (missing.length === 0) return [];
  const rule = `the comment above ${declaration} lacks ${missing.join(' ')}`;
  return [{ path: source.path, at, rule, fix: 'write /** In: ... Out: ... Locks: ... Cost: ... */ above it.' }];
}
