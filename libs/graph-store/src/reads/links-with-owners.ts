// Links as graph pages show them, each with the owners of its ends.
import type { LinkState } from '@taskgraph/domain/state/state';
import { readConsistently } from '../driver/consistent-read.ts';

/** The shown fields of a link, and the owners of its ends. */
export interface LinkWithOwners
  extends Pick<LinkState, 'id' | 'source' | 'target' | 'type' | 'version' | 'wasBlocker' | 'private' | 'ownerId'> {
  readonly sourceOwnerId: string;
  readonly targetOwnerId: string;
}

/**
 * The end of a statement for links `r` from `source` to `target`. Out: link, a list of values:
 * field names would double the message.
 */
export const LINKS_WITH_OWNERS = `
WITH properties(r) AS p, source, target
RETURN [p.id, source, target, p.type, p.version, p.wasBlocker, p.private, p.ownerId, p.sourceOwnerId, p.targetOwnerId] AS link`;

type Values = [string, string, string, LinkWithOwners['type'], number, boolean, boolean, string, string, string];

/** The links returned by a statement with LINKS_WITH_OWNERS. */
export async function readLinksWithOwners(
  run: () => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<LinkWithOwners[]> {
  const read = async () => (await run()).map(linkWithOwnersOf);
  return readConsistently(read, (links) => links.every(({ id }) => id !== null));
}

function linkWithOwnersOf(row: Readonly<Record<string, unknown>>): LinkWithOwners {
  const [id, source, target, type, version, wasBlocker, isPrivate, ownerId, sourceOwnerId, targetOwnerId] =
    row.link as Values;
  return { id, source, target, type, version, wasBlocker, private: isPrivate, ownerId, sourceOwnerId, targetOwnerId };
}
