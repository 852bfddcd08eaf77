// Links as graph pages show them, each with the owners of its ends.
import type { LinkState } from '@taskgraph/domain/state/state';
import { readWhole } from '../driver/whole-rows.ts';

/** The shown fields of a link, and the owners of its ends. */
export interface PlacedLink
  extends Pick<LinkState, 'id' | 'source' | 'target' | 'type' | 'version' | 'wasBlocker' | 'private' | 'ownerId'> {
  readonly sourceOwnerId: string;
  readonly targetOwnerId: string;
}

/**
 * The end of a statement for links `r` from `source` to `target`. Out: link, a list of values:
 * field names would double the message.
 */
export const PLACED_LINKS = `
WITH properties(r) AS p, source, target
RETURN [p.id, source, target, p.type, p.version, p.wasBlocker, p.private, p.ownerId, p.sourceOwnerId, p.targetOwnerId] AS link`;

type Values = [string, string, string, PlacedLink['type'], number, boolean, boolean, string, string, string];

/** The links returned by a statement with PLACED_LINKS. */
export async function readPlacedLinks(
  run: () => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<PlacedLink[]> {
  const read = async () => (await run()).map(placedLinkOf);
  return readWhole(read, (links) => links.every(({ id }) => id !== null));
}

function placedLinkOf(row: Readonly<Record<string, unknown>>): PlacedLink {
  const [id, source, target, type, version, wasBlocker, isPrivate, ownerId, sourceOwnerId, targetOwnerId] =
    row.link as Values;
  return { id, source, target, type, version, wasBlocker, private: isPrivate, ownerId, sourceOwnerId, targetOwnerId };
}
