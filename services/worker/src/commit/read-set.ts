// What a group needs loaded: the sum of what its commands declare and of what their decisions turned out to touch.
import type { Needs } from '@taskgraph/domain/state/read-set';
import type { Job } from './job.ts';
import type { OwnerCache } from './owner-cache.ts';

/** What a job needs, with the grants by which its caller has access to what it names. */
export function needsOf(job: Job, owners: OwnerCache): Needs {
  const needs = job.definition.needs(job.payload);
  const { id: readerId, email } = job.message.actor;
  const wish = (id: string) => ({ id, readerId, email });
  return {
    ...needs,
    access: (needs.nodes ?? []).filter((id) => owners.ownerOf(id) !== readerId).map(wish),
    linkAccess: (needs.links ?? []).filter((id) => !owners.ownsBothEnds(id, readerId)).map(wish),
  };
}

/** Whether anything is asked from a start whose surroundings pass the bound. */
export function touches(needs: Needs, overflowing: ReadonlySet<string>): boolean {
  const starts = [
    ...(needs.targetsOf ?? []),
    ...(needs.sourcesOf ?? []),
    ...(needs.linksOn ?? []),
    ...(needs.activeOn ?? []),
    ...(needs.returningOn ?? []),
    ...(needs.neighbours ?? []),
    ...(needs.closuresOf ?? []),
    ...(needs.below ?? []),
    ...(needs.grantsOn ?? []),
    ...(needs.paths ?? []).map(({ from }) => from),
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
] as const satisfies readonly (keyof Needs)[];

/** How many things are asked for. */
export function sizeOf(needs: Needs): number {
  return NEEDS.reduce((sum, kind) => sum + (needs[kind]?.length ?? 0), 0);
}

export function mergeNeeds(all: readonly Needs[]): Needs {
  return Object.fromEntries(NEEDS.map((kind) => [kind, all.flatMap((needs) => (needs[kind] ?? []) as unknown[])]));
}
