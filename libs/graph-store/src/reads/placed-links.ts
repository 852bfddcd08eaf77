// Links as pages of the graph show them, each with the owners of its ends.
import { compileMaker } from '@taskgraph/domain/state/object-maker';
import type { LinkState } from '@taskgraph/domain/state/state';
import { PAGE_LINK_FIELDS, type PageLinkField } from '@taskgraph/wire/link-fields';
import { readWhole } from '../driver/whole-rows.ts';

/** A link as far as a page shows it, and the owners that decide who sees it. */
export interface PlacedLink extends Pick<LinkState, PageLinkField | 'ownerId'> {
  readonly sourceOwnerId: string;
  readonly targetOwnerId: string;
}

/** The ends are variables of the statement; all else is stored on the relationship. */
const ENDS: ReadonlySet<string> = new Set(['source', 'target']);
const NAMES = [...PAGE_LINK_FIELDS, 'ownerId', 'sourceOwnerId', 'targetOwnerId'] as const;
const COLUMNS = NAMES.map((name) => (ENDS.has(name) ? name : `p.${name}`)).join(', ');

/** The end of a statement for links `r` from `source` to `target`. Out: link, a list of values. Names would cost more than these to send. */
export const PLACED_LINKS = `
WITH properties(r) AS p, source, target
RETURN [${COLUMNS}] AS link`;

/** The links that a statement with PLACED_LINKS brings. */
export async function readPlacedLinks(
  run: () => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<PlacedLink[]> {
  const read = async () => (await run()).map(({ link }) => linkOf(link));
  return readWhole(read, (links) => links.every(({ id }) => id !== null));
}

const linkOf = compileMaker<(values: unknown) => PlacedLink>(
  ['values'],
  NAMES.map((name, index) => [name, `values[${index}]`]),
);
