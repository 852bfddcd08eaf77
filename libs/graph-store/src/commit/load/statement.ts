// Composes the statement that loads the surroundings of a group from the parts of all requested
// kinds.
//
// A node is a map: `p` its properties, `in` its membership rows (feed, via), and for nodes
// requested by id also `feeds`, these feeds with their heads. The ends of links are outlines.
// Propagating links pass membership (ACL3).
import { LOAD_KINDS, LOADERS, type LoadKind } from './table.ts';

export interface LoadStatement {
  readonly cypher: string;
  /** The lists that the statement takes and returns. */
  readonly kinds: readonly LoadKind[];
}

const NODES = ['keys', 'nodes', 'access'] as const;
const STATUS = ['targetsOf', 'sourcesOf', 'blockersOf'] as const;
const LINKING = ['between', 'closuresOf', 'linksBy'] as const;
const SHARING = ['grants', 'grantsTo', 'copiesOf'] as const;
const LINKS = ['keys', 'links', 'linkAccess'] as const;
/** Requested in later rounds: memberships that change with a link or grant, and their readers. */
const MEMBERSHIP = ['below', 'neighbours', 'members', 'feeds', 'grants'] as const;

/** For groups of one kind of command and for typical groups; all others get the full statement. */
const SHAPES: readonly (readonly LoadKind[])[] = [
  NODES,
  LINKS,
  MEMBERSHIP,
  [...NODES, ...STATUS],
  [...NODES, ...LINKING],
  [...NODES, ...SHARING],
  [...new Set([...NODES, ...STATUS, ...LINKING, ...SHARING, ...LINKS, ...MEMBERSHIP])],
];

/** In ascending size; the last has all parts. */
export const LOAD_STATEMENTS: readonly LoadStatement[] = [...SHAPES, LOAD_KINDS.filter(hasPart)]
  .map(compose)
  .sort((one, other) => one.kinds.length - other.kinds.length);

/**
 * The smallest statement with these parts, among all or some. An unused part costs 0.04 ms, and a
 * missing plan up to seconds. So there are few statements, and only planned ones are used
 * (plans.ts).
 */
export function statementFor(kinds: readonly LoadKind[], among?: ReadonlySet<LoadStatement>): LoadStatement {
  const found = LOAD_STATEMENTS.find(
    (statement) => (among?.has(statement) ?? true) && kinds.every((kind) => statement.kinds.includes(kind)),
  );
  if (found === undefined) throw new Error(`no statement loads ${kinds.join(', ')}`);
  return found;
}

/**
 * One statement, because each costs the server about as much as twenty rows. All lists arrive in
 * one map: the server replans for lists of another order of magnitude, but does not inspect maps.
 */
function compose(kinds: readonly LoadKind[]): LoadStatement {
  const parts = kinds.map(partOf).map((part) => `CALL () {${part}\n}`);
  const lists = kinds.join(', ');
  return { cypher: [...parts, `RETURN ${lists}`].join('\n'), kinds };
}

function hasPart(kind: LoadKind): boolean {
  return 'cypher' in LOADERS[kind];
}

function partOf(kind: LoadKind): string {
  const loader = LOADERS[kind];
  if (!('cypher' in loader)) throw new Error(`${kind} has no part`);
  return loader.cypher;
}
