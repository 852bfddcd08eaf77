// The refusal of primary cycles, with a path of visible nodes. Rules: LNK4, LNK9.
import { LinkType } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { LinkState } from '../state/state.ts';
import type { Draft } from './draft.ts';

/** The nodes and links that the caller sees. */
export interface PathVisibility {
  readonly node: (id: string) => boolean;
  readonly link: (link: LinkState) => boolean;
}

/**
 * Refuses a primary link source -> target if active primary links already lead from target to
 * source.
 *
 * In the path, one null replaces each run of invisible nodes and links. `without` excludes the link
 * that is being reversed.
 */
export function refuseCycle(
  draft: Draft,
  source: string,
  target: string,
  visibility: PathVisibility,
  without?: string,
): Refusal | null {
  const path = draft.path(target, source, without);
  if (path === null) return null;
  draft.requireNodes(path);
  const seen = path.map((id) => (visibility.node(id) ? id : null));
  const visible = visibleSteps(draft, seen, visibility, without);
  const withGaps = seen.flatMap((id, at) => (id === null || visible[at] !== false ? [id] : [id, null]));
  const shown = withGaps.filter((id, at) => id !== null || withGaps[at - 1] !== null);
  return refuse('conflict.cycle', 'The link would close a cycle of blocking links.', { path: shown });
}

/** For each node except the last: whether the caller sees a link from it to the next node. */
function visibleSteps(
  draft: Draft,
  seen: readonly (string | null)[],
  visibility: PathVisibility,
  without: string | undefined,
): boolean[] {
  const steps = seen.slice(1).map((next, at) => [seen[at] ?? null, next] as const);
  draft.requireLinksBetween(steps.filter((step): step is readonly [string, string] => !step.includes(null)));
  const isVisible = (source: string, target: string) =>
    draft
      .linksBetween(source, target)
      .filter((link) => link.id !== without && link.source === source)
      .some((link) => !link.inTrash && link.type === LinkType.PRIMARY && visibility.link(link));
  return steps.map(([source, target]) => source !== null && target !== null && isVisible(source, target));
}
