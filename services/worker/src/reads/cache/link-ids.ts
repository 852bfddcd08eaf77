// A cache for walks over the links of shared scopes: the owners of other users' nodes, or the ids of
// their links, one list for all pages of a walk. Rules: ACL1, EVT3, LNK9.
//
// 1. Links of the reader's own nodes come from an index, in order; so do those of others, if most of
//    their links are in the scope. Otherwise they need a walk over all members, which would cost every
//    page as much as the whole walk.
// 2. A list is valid for one state of the reader's access. That includes the numbers of the feeds,
//    which change with every entity that enters the scope.
// 3. Each page reads its links again, so links that left the scope do not appear.
import { createHash } from 'node:crypto';
import type { LinkIds, LinkWalk } from '@taskgraph/graph-store/reads/member-scope';
import type { Membership } from '@taskgraph/graph-store/reads/visible-ids';
import { LRUCache } from 'lru-cache';

/** Bytes of a UUID in binary. */
const ID_BYTES = 16;
/** Rough sizes of an entry without its list, and of an owner's id, bytes. */
const ENTRY_BYTES = 500;
const OWNER_BYTES = 65;

/** A walk over the links of a reader's scope. */
export interface LinkIdsRequest {
  readonly membership: Membership;
  readonly readerId: string | null;
  /** The reader's access with the numbers of the scope's feeds, read before the page. */
  readonly access: unknown;
}

export interface LinkIdsCache {
  /** Returns the lists of an earlier walk under the same access, or reads them. Rejects as `list` does. */
  keeper(question: LinkIdsRequest): LinkWalk;
  bytes(): number;
}

interface ListEntry {
  readonly stamp: string;
  /** Null if the list does not suit the scope. */
  readonly list: LinkIds | readonly string[] | null;
}

/** A cache of this many bytes, which evicts the least recently used lists. 0 disables it. */
export function createLinkIdsCache(mostBytes: number): LinkIdsCache {
  const entries = new LRUCache<string, ListEntry>({ maxSize: Math.max(1, mostBytes) });
  return {
    keeper: ({ membership, readerId, access }) => {
      const scope = [membership.ownerId, membership.feeds, readerId];
      const stamp = digest(access);
      /** The cached list, or the one that `read` returns with its size in bytes. */
      const cached = async <List extends ListEntry['list']>(kind: string, read: () => Promise<[List, number]>) => {
        const key = digest([kind, ...scope]);
        const known = entries.get(key);
        if (known?.stamp === stamp) return known.list as List;
        const [list, bytes] = await read();
        entries.set(key, { stamp, list }, { size: ENTRY_BYTES + bytes });
        return list;
      };
      return {
        ids: (list) =>
          cached<LinkIds | null>('ids', async () => {
            const listed = await list();
            const packed = listed === null ? null : Buffer.from(listed.join('').replaceAll('-', ''), 'hex');
            return packed === null ? [null, 0] : [linkIdsOf(packed), packed.length];
          }),
        owners: (list) =>
          cached<readonly string[] | null>('owners', async () => {
            const owners = await list();
            return [owners, (owners?.length ?? 0) * OWNER_BYTES];
          }),
      };
    },
    bytes: () => entries.calculatedSize,
  };
}

/** Sorted ids, concatenated in binary. */
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
