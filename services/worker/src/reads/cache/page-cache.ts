// A cache of encoded pages. A page is valid while nothing that it shows can have changed. Rules:
// ACL1, ACL2, GEN11, EVT3, ZIP2.
//
// 1. Every request reads the reader's access. The access and the numbers of the visible feeds are
//    part of the stamp: every entity that enters or leaves a page moves one of them (EVT4).
// 2. The stamp also has the revisions of the owners of all entities in the page. They change with
//    every write to an owner's entities, memberships included. They are read before the page.
import { createHash } from 'node:crypto';
import { type CompressedJson, compressJson, decompressJson } from '@taskgraph/bus/requests/compressed-json';
import { compressedReplyOf, type RawReply, rawReplyOf } from '@taskgraph/bus/requests/raw-reply';
import { byteLengthOf } from '@taskgraph/wire/bytes';
import { hasPublicToken } from '@taskgraph/wire/public-token';

/** A page with more owners is not cached. */
const MAXIMUM_OWNERS = 100;
/** One reader's largest share of the cache, so that no reader evicts the pages of all others. */
const READERS_PART = 1 / 4;
/** Rough sizes of an entry without its page and owners, and of one owner. */
const ENTRY_BYTES = 1_200;
const OWNER_BYTES = 65;

/** Compressing a shorter page saves no packet on NATS; the gateway compresses it for REST. */
const LEAST_COMPRESSED_BYTES = 8 * 1_024;

interface EncodedPage {
  readonly etag: string;
  readonly encoded: Uint8Array;
}

/** The form in which a requester prefers a page. */
export interface PageForm {
  readonly acceptsCompressed: boolean;
  /** Etags of pages that the requester has, which are answered by their etag alone. */
  readonly etags: readonly string[];
}

/**
 * A page as an encoded reply, plain or compressed. Its etag is a digest of its JSON, and thus the
 * same in both forms.
 */
export class CachedPage {
  private constructor(
    readonly reply: RawReply & EncodedPage,
    /** Not if it is short or has a public token (ZIP2). */
    private readonly mayBeCompressed: boolean,
  ) {}

  /** A page from its JSON, in pieces. */
  static async of(pieces: readonly Uint8Array[], form: PageForm, compress = compressJson): Promise<CachedPage> {
    const etag = digest(...pieces);
    const mayBeCompressed = byteLengthOf(pieces) >= LEAST_COMPRESSED_BYTES && !pieces.some(hasPublicToken);
    const isCompressed = mayBeCompressed && form.acceptsCompressed && !form.etags.includes(etag);
    const compressed = isCompressed ? await tried(() => compress(pieces)) : null;
    const reply = compressed === null ? rawReplyOf(pieces, etag) : compressedReplyOf(compressed, etag);
    return new CachedPage(reply, mayBeCompressed);
  }

  /**
   * The page in the preferred form. It is plain if it must not be compressed, and in any form if
   * the requester has it.
   */
  async inForm({ acceptsCompressed, etags }: PageForm, compress = compressJson): Promise<CachedPage> {
    const { reply, mayBeCompressed } = this;
    if (etags.includes(reply.etag)) return this;
    if (acceptsCompressed && mayBeCompressed && 'json' in reply) {
      const compressed = await tried(() => compress([reply.json]));
      return compressed === null ? this : new CachedPage(compressedReplyOf(compressed, reply.etag), mayBeCompressed);
    }
    if (!acceptsCompressed && 'compressed' in reply)
      return new CachedPage(rawReplyOf(await decompressJson(reply.compressed), reply.etag), mayBeCompressed);
    return this;
  }

  isShorterThan(other: CachedPage): boolean {
    return this.reply.encoded.length < other.reply.encoded.length;
  }
}

/** Null without memory for the compression: the page can be sent plain. */
async function tried(compress: () => Promise<CompressedJson>): Promise<CompressedJson | null> {
  try {
    return await compress();
  } catch {
    return null;
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
export interface PageRequest extends PageForm {
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
    async get({ reader, key: request, access, owners: expected, revisions, make, ...form }) {
      const key = digest(JSON.stringify(request));
      const known = entries.get(key);
      const owners = known?.owners ?? expected;
      const found = await revisions(owners);
      const stampOf = (some: readonly string[]) =>
        digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));
      if (known?.content?.stamp === stampOf(owners)) {
        counts.hits++;
        const { stamp, page } = known.content;
        const converted = await page.inForm(form);
        // The shorter form stays: converting it back takes a millisecond for a thousand nodes.
        const content = { stamp, page: converted.isShorterThan(page) ? converted : page };
        if (entries.get(key) === known) store(key, { ...known, content });
        return converted;
      }
      counts.misses++;
      const computed = await make();
      const page = await CachedPage.of(computed.pieces, form);
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
