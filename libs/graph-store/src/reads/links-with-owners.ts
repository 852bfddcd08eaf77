// Links as graph pages show them, each with the owners of its ends.
import { compileMaker } from '@taskgraph/domain/state/object-maker';
import type { LinkState } from '@taskgraph/domain/state/state';
import { PAGE_LINK_FIELDS, type PageLinkField } from '@taskgraph/wire/link-fields';
import { readConsistently } from '../driver/consistent-read.ts';

/** The shown fields of a link, and the owners of its ends. */
export interface LinkWithOwners extends Pick<LinkState, PageLinkField | 'ownerId'> {
  readonly sourceOwnerId: string;
  readonly targetOwnerId: string;
}

/** The ends are variables of the statement. All other fields are stored on the relationship. */
const ENDS: ReadonlySet<string> = new Set(['source', 'target']);
const NAMES = [...PAGE_LINK_FIELDS, 'ownerId', 'sourceOwnerId', 'targetOwnerId'] as const;
const COLUMNS = NAMES.map((name) => (ENDS.has(name) ? name : `p.${name}`)).join(', ');

/** Links in one row of a statement: each row costs the server and the driver as much as a link. */
const LINKS_A_ROW = 32;

/**
 * The end of a statement. In: links `r` from `source` to `target`. Out: links, some of them in order,
 * each a list of values: field names would double the message. Locks: none. Cost: the links.
 */
export const LINKS_WITH_OWNERS = `
WITH properties(r) AS p, source, target
WITH collect([${COLUMNS}]) AS found
UNWIND range(0, size(found) - 1, ${LINKS_A_ROW}) AS start
RETURN found[start..start + ${LINKS_A_ROW}] AS links`;

/** The links returned by a statement with LINKS_WITH_OWNERS. */
export async function readLinksWithOwners(
  run: () => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<LinkWithOwners[]> {
  const read = async () => (await run()).flatMap(({ links }) => (links as unknown[]).map(linkOf));
  return readConsistently(read, (links) => links.every(({ id }) => id !== null));
}

const linkOf = compileMaker<(values: unknown) => LinkWithOwners>(
  ['values'],
  NAMES.map((name, index) => [name, `values[${index}]`]),
);
