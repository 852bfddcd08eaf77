// The ids of the links in what is shared with a reader, found once for all pages of a walk. Rules:
// ACL1, EVT3, LNK9.
//
// Links of one's own nodes come by the order of an index; those of members which are another's are
// found by walking over all members, which costs each page as much as a whole walk. The list holds
// while the access that it was made under does: the numbers of the feeds in that move with whatever
// comes into the scope. Each page looks its links up anew, so that nothing is shown that left it.
import { createHash } from 'node:crypto';
import type { KeepLinkIds, LinkIds } from '@taskgraph/graph-store/reads/member-scope';
import type { Membership } from '@taskgraph/graph-store/reads/visible-ids';
import { LRUCache } from 'lru-cache';

/** Of a UUID in binary. */
const ID_BYTES = 16;
/** About what an entry takes besides its ids. */
const ENTRY_BYTES = 500;

/** A walk over what a membership holds for a reader. */
export interface LinkIdsRequest {
  readonly membership: Membership;
  readonly readerId: string | null;
  /**
   * All that the reader may see, with the numbers of the membership's feeds, read before the page.
   */
  readonly access: unknown;
}

export interface LinkIdsCache {
  /**
   * Gives the ids that were listed under the same access, or lists them. Rejects as `list` does.
   */
  keeper(question: LinkIdsRequest): KeepLinkIds;
  bytes(): number;
}

interface Entry {
  readonly stamp: string;
  /** Null where there are too many. */
  readonly ids: LinkIds | null;
}

/**
 * A cache of so many bytes, of which those lists that were not asked for longest go first. None is
 * kept where it is 0.
 */
export function createLinkIdsCache(mostBytes: number): LinkIdsCache {
  const entries = new LRUCache<string, Entry>({ maxSize: Math.max(1, mostBytes) });
  return {
    keeper: ({ membership, readerId, access }) => {
      const key = digest([membership.ownerId, membership.feeds, readerId]);
      const stamp = digest(access);
      return async (list) => {
        const known = entries.get(key);
        if (known?.stamp === stamp) return known.ids;
        const listed = await list();
        const packed = listed === null ? null : Buffer.from(listed.join('').replaceAll('-', ''), 'hex');
        const ids = packed === null ? null : linkIdsOf(packed);
        entries.set(key, { stamp, ids }, { size: ENTRY_BYTES + (packed?.length ?? 0) });
        return ids;
      };
    },
    bytes: () => entries.calculatedSize,
  };
}

/** Of sorted ids, one after the other in binary. */
function linkIdsOf(packed: Buffer): LinkIds {
  const count = packed.length / ID_BYTES;
  const at = (index: number) => packed.subarray(index * ID_BYTES, (index + 1) * ID_BYTES);
  return {
    after(id, most) {
      const bar = Buffer.from(id.replaceAll('-', ''), 'hex');
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (at(middle).compare(bar) <= 0) low = middle + 1;
        else high = middle;
      }
      return Array.from({ length: Math.min(most, count - low) }, (_, index) => uuidOf(at(low + index).toString('hex')));
    },
  };
}

function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
