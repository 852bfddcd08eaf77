// The statement that loads the surroundings of a group, made of the parts of all kinds that are asked for.
//
// A node comes as a map: `p` its properties, `in` its membership rows (feed, via), and where it is named itself also `feeds`, those
// feeds with their heads. The ends of links come without their content. Conveying links are those that membership flows through (ACL3).
import { LOAD_KINDS, LOADERS, type LoadKind } from './table.ts';

export interface LoadStatement {
  readonly cypher: string;
  /** The lists that it takes and returns. */
  readonly kinds: readonly LoadKind[];
}

const NODES = ['keys', 'nodes', 'access'] as const;
const STATUS = ['targetsOf', 'sourcesOf', 'blockersOf'] as const;
const LINKING = ['between', 'closuresOf', 'linksBy'] as const;
const SHARING = ['grants', 'grantsTo', 'copiesOf'] as const;
const LINKS = ['keys', 'links', 'linkAccess'] as const;
/** Asked for in later rounds: what moves with a link or a grant, and who reads it. */
const MEMBERSHIP = ['below', 'neighbours', 'members', 'feeds', 'grants'] as const;

/** For commands of one kind, and for those of a usual group; everything else gets the whole. */
const SHAPES: readonly (readonly LoadKind[])[] = [
  NODES,
  LINKS,
  MEMBERSHIP,
  [...NODES, ...STATUS],
  [...NODES, ...LINKING],
  [...NODES, ...SHARING],
  [...new Set([...NODES, ...STATUS, ...LINKING, ...SHARING, ...LINKS, ...MEMBERSHIP])],
];

/** From the smallest on; the last has all parts. */
export const LOAD_STATEMENTS: readonly LoadStatement[] = [...SHAPES, LOAD_KINDS.filter(hasPart)]
  .map(compose)
  .sort((one, other) => one.kinds.length - other.kinds.length);

/**
 * The smallest statement that has these parts, of all or of some. A part that nothing is asked of costs 0.04 ms, and a plan that nobody has
 * made yet up to seconds: so there are a few statements, and only those that are planned are used (plans.ts).
 */
export function statementFor(kinds: readonly LoadKind[], among?: ReadonlySet<LoadStatement>): LoadStatement {
  const found = LOAD_STATEMENTS.find(
    (statement) => (among?.has(statement) ?? true) && kinds.every((kind) => statement.kinds.includes(kind)),
  );
  if (found === undefined) throw new Error(`no statement loads ${kinds.join(', ')}`);
  return found;
}

/**
 * One statement, because each costs the server about as much as twenty rows do. All lists arrive in one map: the server plans anew
 * for lists of another order of magnitude, but does not look into maps.
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
