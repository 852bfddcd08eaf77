// Read sets of groups: their sum, their size, and whether they pass a bound.
import type { ReadSet } from '@taskgraph/domain/state/read-set';

/** Whether anything is asked from a start whose surroundings pass the bound. */
export function touches(readSet: ReadSet, overflowing: ReadonlySet<string>): boolean {
  const starts = [
    ...(readSet.targetsOf ?? []),
    ...(readSet.sourcesOf ?? []),
    ...(readSet.linksOn ?? []),
    ...(readSet.activeOn ?? []),
    ...(readSet.returningOn ?? []),
    ...(readSet.neighbours ?? []),
    ...(readSet.closuresOf ?? []),
    ...(readSet.below ?? []),
    ...(readSet.grantsOn ?? []),
    ...(readSet.paths ?? []).map(({ from }) => from),
  ];
  return starts.some((start) => overflowing.has(start));
}

const NEEDS = [
  'nodes',
  'links',
  'linksOn',
  'activeOn',
  'returningOn',
  'neighbours',
  'between',
  'targetsOf',
  'sourcesOf',
  'blockersOf',
  'closuresOf',
  'paths',
  'members',
  'below',
  'feeds',
  'grants',
  'access',
  'linkAccess',
  'linksBy',
  'grantsOn',
  'copiesOf',
  'grantsTo',
  'principals',
  'readers',
  'batches',
  'deleted',
  'laterThan',
] as const satisfies readonly (keyof ReadSet)[];

/** How many things are asked for. */
export function sizeOf(readSet: ReadSet): number {
  return NEEDS.reduce((sum, kind) => sum + (readSet[kind]?.length ?? 0), 0);
}

export function mergeReadSets(all: readonly ReadSet[]): ReadSet {
  return Object.fromEntries(NEEDS.map((kind) => [kind, all.flatMap((readSet) => (readSet[kind] ?? []) as unknown[])]));
}
