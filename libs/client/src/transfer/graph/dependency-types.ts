// Dependencies of plans. Only finish to start blocks: a dependency of another type becomes a link that
// does not block, and the report names its type. Rules: IO2, IO11.
import { addLink, blockingLink, relatedLink } from './links.ts';
import type { LossReport } from './loss-report.ts';
import { excerpt, type TransferLink } from './transfer-graph.ts';

export type DependencyType = 'FS' | 'SS' | 'FF' | 'SF';

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({ SS: 'start to start', FF: 'finish to finish', SF: 'start to finish' } as const satisfies Record<
    Exclude<DependencyType, 'FS'>,
    string
  >),
);

export interface Dependency {
  readonly source: string;
  readonly target: string;
  /** A DependencyType, or the word of the file for a type that is not known. */
  readonly type: string;
}

/** The text of the report for a type that does not block. */
export function otherTypeNote(type: string): string {
  return `a dependency of the type ${NAMES.get(type) ?? excerpt(type)}, which becomes a link that does not block`;
}

/** Adds the link of a dependency. Returns whether it blocks. Throws a BrokenFile. */
export function addDependency(
  links: TransferLink[],
  { source, target, type }: Dependency,
  place: string,
  losses: LossReport,
): boolean {
  const blocks = type === 'FS';
  addLink(links, blocks ? blockingLink(source, target) : relatedLink(source, target));
  if (!blocks) losses.note(otherTypeNote(type), place);
  return blocks;
}
