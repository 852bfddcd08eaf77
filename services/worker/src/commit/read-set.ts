// What a group needs loaded: the sum of what its commands declare and of what their decisions turned out to touch.
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { Job } from './job.ts';
import type { OwnerCache } from './owner-cache.ts';

/** What a job needs, with the grants by which its caller has access to what it names. */
export function readSetOf(job: Job, owners: OwnerCache): ReadSet {
  const readSet = job.definition.readSet(job.payload);
  const { id: readerId, email } = job.message.actor;
  const wish = (id: string) => ({ id, readerId, email });
  return {
    ...readSet,
    access: (readSet.nodes ?? []).filter((id) => owners.ownerOf(id) !== readerId).map(wish),
    linkAccess: (readSet.links ?? []).filter((id) => !owners.ownsBothEnds(id, readerId)).map(wish),
  };
}

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
