// A cache of pages as JSON. A page is valid while nothing that it shows can have changed. Rules:
// ACL1, ACL2, GEN11, EVT3.
//
// 1. Every request reads the reader's access. The access and the numbers of the visible feeds are
//    part of the stamp: every entity that enters or leaves a page moves one of them (EVT4).
// 2. The stamp also has the revisions of the owners of all entities in the page. They change with
//    every write to an owner's entities, memberships included. They are read before the page.
import { createHash } from 'node:crypto';
import { compressJson, hasPublicToken } from '@taskgraph/bus/requests/compressed-json';
import { compressedReplyOf, type RawReply, rawReplyOf } from '@taskgraph/bus/requests/raw-reply';

/** A page with more owners is not cached. */
const MAXIMUM_OWNERS = 100;
/** One reader's largest share of the cache, so that no reader evicts the pages of all others. */
const READERS_PART = 1 / 4;
/** Rough sizes of an entry without its page and owners, and of one owner. */
const ENTRY_BYTES = 1_200;
const OWNER_BYTES = 65;

/** A shorter page is one packet in any case: its gateway compresses it for those who ask for that. */
const LEAST_COMPRESSED_BYTES = 8 * 1_024;

/** A page as an encoded reply. Its etag is a digest of its content. */
export class CachedPage {
  private constructor(readonly reply: RawReply & { readonly encoded: Uint8Array }) {}

  /** From its JSON, in pieces. It is compressed unless it is short or has a public token (ZIP2). */
  static async of(pieces: readonly Uint8Array[]): Promise<CachedPage> {
    const etag = digest(...pieces);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length < LEAST_COMPRESSED_BYTES || pieces.some(hasPublicToken)) return new CachedPage(rawReplyOf(pieces, etag));
    return new CachedPage(compressedReplyOf(await compressJson(pieces), etag));
  }
}

interface PageCacheEntry {
  /** The reader whose share it counts towards. */
  readonly reader: string;
  /** The owners of its entities, and of the feeds that its nodes belong to. */
  readonly owners: readonly string[];
  /** The page with its stamp; null if the page was computed before its owners were known. */
  readonly content: { readonly stamp: string; readonly page: CachedPage } | null;
}

/** The part of a request that decides the content of the page. */
export interface PageRequest {
  /** A user, or all readers of one public token. */
  readonly reader: string;
  /** The reader and the request. Requests with equal keys differ only by `access`. */
  readonly key: readonly unknown[];
  /**
   * The reader's present access, the numbers of the visible feeds, and everything else that the
   * answer shows.
   */
  readonly access: unknown;
  /** Owners whose entities the page probably shows. */
  readonly owners: readonly string[];
  /** The revisions of owners, read after `access` and before the page. */
  readonly revisions: (owners: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Computes the page and names the owners of its entities; null if it must not be cached. */
  readonly make: () => Promise<{ readonly pieces: readonly Uint8Array[]; readonly owners: ReadonlySet<string> | null }>;
}

export interface PageCache {
  /**
   * The cached page if it is valid, otherwise the one that `make` computes. Rejects as `make` and
   * `revisions` do.
   */
  get(question: PageRequest): Promise<CachedPage>;
  bytes(): number;
  counts(): { readonly hits: number; readonly misses: number };
}

/** A cache of this many bytes, which evicts the least recently used pages. 0 disables it. */
export function createPageCache(mostBytes: number): PageCache {
  const entries = new Map<string, PageCacheEntry>();
  /** The keys of each reader's pages, least recently used first, and their bytes. */
  const readers = new Map<string, { readonly keys: Set<string>; bytes: number }>();
  const counts = { hits: 0, misses: 0 };
  let bytes = 0;

  function forget(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= bytesOf(key, entry);
    const share = readers.get(entry.reader);
    share?.keys.delete(key);
    if (share !== undefined) share.bytes -= bytesOf(key, entry);
    if (share?.keys.size === 0) readers.delete(entry.reader);
  }

  function store(key: string, entry: PageCacheEntry): void {
    forget(key);
    const size = bytesOf(key, entry);
    if (entry.owners.length > MAXIMUM_OWNERS || size > mostBytes * READERS_PART) return;
    entries.set(key, entry);
    bytes += size;
    const share = readers.get(entry.reader) ?? { keys: new Set<string>(), bytes: 0 };
    readers.set(entry.reader, share);
    share.keys.add(key);
    share.bytes += size;
    for (const oldest of share.keys) {
      if (share.bytes <= mostBytes * READERS_PART) break;
      forget(oldest);
    }
    for (const oldest of entries.keys()) {
      if (bytes <= mostBytes) break;
      forget(oldest);
    }
  }

  return {
    async get({ reader, key: request, access, owners: expected, revisions, make }) {
      const key = digest(JSON.stringify(request));
      const known = entries.get(key);
      const owners = known?.owners ?? expected;
      const found = await revisions(owners);
      const stampOf = (some: readonly string[]) =>
        digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));
      if (known?.content?.stamp === stampOf(owners)) {
        store(key, known);
        counts.hits++;
        return known.content.page;
      }
      counts.misses++;
      const computed = await make();
      const page = await CachedPage.of(computed.pieces);
      if (computed.owners === null) return page;
      const shown = [...computed.owners].sort();
      const isCovered = shown.every((id) => found.has(id));
      store(key, { reader, owners: shown, content: isCovered ? { stamp: stampOf(shown), page } : null });
      return page;
    },
    bytes: () => bytes,
    counts: () => counts,
  };
}

function bytesOf(key: string, { owners, content }: PageCacheEntry): number {
  return ENTRY_BYTES + key.length + owners.length * OWNER_BYTES + (content?.page.reply.encoded.length ?? 0);
}

function digest(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('base64url');
}
