// Pages that were made before, as JSON: one is given again while nothing that it shows can have changed. Rules: ACL1, ACL2, GEN11, EVT3.
//
// The reader's access is read anew for each answer; it is part of what a page is kept under, as are the numbers of the feeds that the reader is
// shown: what comes into a page or leaves it moves one of those (EVT4). The entities in it belong to owners, whose revisions move with all
// that is theirs, the branches that their nodes belong to included. They are read before the page, in one order with it.
import { createHash } from 'node:crypto';
import { type RawReply, rawReplyOf } from '@taskgraph/bus/requests/raw-reply';

/** More owners than this in one page are not kept account of. */
const MAXIMUM_OWNERS = 100;
/** The part of the cache that the pages of one reader take at most: nobody drives out those of all others. */
const READERS_PART = 1 / 4;
/** About what an entry takes besides its page and its owners, and what each of these takes. */
const ENTRY_BYTES = 1_200;
const OWNER_BYTES = 65;

/** A page as the reply that it is sent in, with an etag that differs wherever two of them do. */
export class MadePage {
  readonly reply: RawReply;

  /** Of its JSON in pieces. */
  constructor(pieces: readonly Uint8Array[]) {
    this.reply = rawReplyOf(pieces, digest(...pieces));
  }
}

interface Entry {
  /** The reader that it counts with. */
  readonly reader: string;
  /** The owners of all that the page shows, and of the feeds that its nodes belong to. */
  readonly owners: readonly string[];
  /** Of the page, and of all that it was made from; null where it was read before its owners were known. */
  readonly made: { readonly stamp: string; readonly page: MadePage } | null;
}

/** A request for a page, as far as it says what is in it. */
export interface PageQuestion {
  /** A user, or all who read by one public token. */
  readonly reader: string;
  /** The reader and the request: two that are alike differ in what they are told by `access` alone. */
  readonly key: readonly unknown[];
  /** All that the reader may see now, with the numbers of the feeds that they are shown, and all else that is told besides. */
  readonly access: unknown;
  /** Owners whose things the page may be expected to show. */
  readonly owners: readonly string[];
  /** The revisions of owners, read after `access` and before the page. */
  readonly revisions: (owners: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly make: () => Promise<{ readonly pieces: readonly Uint8Array[]; readonly owners: ReadonlySet<string> }>;
}

export interface PageCache {
  /** The page that was made before where it still stands, else the one that is made. Rejects as `make` and `revisions` do. */
  get(question: PageQuestion): Promise<MadePage>;
  bytes(): number;
  /** How many were given again, and how many were made. */
  counts(): { readonly kept: number; readonly made: number };
}

/** A cache of so many bytes, of which those that were not asked for longest go first. None is kept where it is 0. */
export function createPageCache(mostBytes: number): PageCache {
  const entries = new Map<string, Entry>();
  /** The keys of each reader's pages, the one first that was not asked for longest, and what they take. */
  const readers = new Map<string, { readonly keys: Set<string>; bytes: number }>();
  const counts = { kept: 0, made: 0 };
  let bytes = 0;

  function forget(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= bytesOf(key, entry);
    const held = readers.get(entry.reader);
    held?.keys.delete(key);
    if (held !== undefined) held.bytes -= bytesOf(key, entry);
    if (held?.keys.size === 0) readers.delete(entry.reader);
  }

  function keep(key: string, entry: Entry): void {
    forget(key);
    const size = bytesOf(key, entry);
    if (entry.owners.length > MAXIMUM_OWNERS || size > mostBytes * READERS_PART) return;
    entries.set(key, entry);
    bytes += size;
    const held = readers.get(entry.reader) ?? { keys: new Set<string>(), bytes: 0 };
    readers.set(entry.reader, held);
    held.keys.add(key);
    held.bytes += size;
    for (const oldest of held.keys) {
      if (held.bytes <= mostBytes * READERS_PART) break;
      forget(oldest);
    }
    for (const oldest of entries.keys()) {
      if (bytes <= mostBytes) break;
      forget(oldest);
    }
  }

  return {
    async get({ reader, key: asked, access, owners: expected, revisions, make }) {
      const key = digest(JSON.stringify(asked));
      const known = entries.get(key);
      const owners = known?.owners ?? expected;
      const found = await revisions(owners);
      const stampOf = (some: readonly string[]) =>
        digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));
      if (known?.made?.stamp === stampOf(owners)) {
        keep(key, known);
        counts.kept++;
        return known.made.page;
      }
      counts.made++;
      const made = await make();
      const page = new MadePage(made.pieces);
      const shown = [...made.owners].sort();
      const isCovered = shown.every((id) => found.has(id));
      keep(key, { reader, owners: shown, made: isCovered ? { stamp: stampOf(shown), page } : null });
      return page;
    },
    bytes: () => bytes,
    counts: () => counts,
  };
}

function bytesOf(key: string, { owners, made }: Entry): number {
  return ENTRY_BYTES + key.length + owners.length * OWNER_BYTES + (made?.page.reply.encoded?.length ?? 0);
}

function digest(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('base64url');
}
