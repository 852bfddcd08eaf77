// Active links by their ids.
import type { LinkState } from '@taskgraph/domain/state/state';
import { decodeLink } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { ACTIVE_LINK_BY_ID } from '../driver/statement-parts.ts';

/**
 * In: ids. Out: type, properties, source, target; no row for a missing or trashed link. Locks:
 * none. Cost: two index look-ups each.
 */
const READ_ACTIVE_LINKS = `
UNWIND $ids AS id
CALL (id) {${ACTIVE_LINK_BY_ID}
}
RETURN type(r) AS type, properties(r) AS properties, a.id AS source, b.id AS target`;

/** Active links by their ids; others are left out. */
export async function readActiveLinks(database: Database, ids: readonly string[]): Promise<LinkState[]> {
  const found = new Map<string, LinkState>();
  // A link that changes its type during the read may be missed once, so look for missing ones
  // again.
  for (let attempt = 0; attempt < 2; attempt++) {
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length === 0) break;
    const rows = await database.read(READ_ACTIVE_LINKS, { ids: missing });
    for (const row of rows) {
      const link = decodeLink(row as Parameters<typeof decodeLink>[0]);
      // A link that disappears during the read has no properties.
      if (link.id !== undefined) found.set(link.id, link);
    }
  }
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
