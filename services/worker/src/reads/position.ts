// The opaque position from which a client asks for changes: the heads of its feeds, signed for its
// user (EVT2).
import type { FeedHead } from '@taskgraph/graph-store/reads/feeds';
import { type Secrets, signText, verifyText } from '@taskgraph/runtime/security/signed-text';
import { z } from 'zod';

/** The number of the last slice that a reader has, by feed. */
export type Heads = Readonly<Record<string, number>>;

/** A reader's heads, as in pages and acks. */
export function headsOf(feeds: readonly Pick<FeedHead, 'feed' | 'seq'>[]): Heads {
  return Object.fromEntries(feeds.map(({ feed, seq }) => [feed, seq]));
}

/** Signs a reader's heads. */
export function signPosition(secrets: Secrets, readerId: string, heads: Heads): string {
  return signText(secrets, 'position', Buffer.from(JSON.stringify({ reader: readerId, feeds: heads })));
}

const position = z.strictObject({ reader: z.string(), feeds: z.record(z.string(), z.int().min(0)) });

/** The heads of a position that was signed for this reader, or null for everything else. */
export function openPosition(secrets: Secrets, readerId: string, text: string): Heads | null {
  const content = verifyText(secrets, 'position', text);
  if (content === null) return null;
  // The signature is ours, so it parses. The schema rejects positions of older versions.
  const parsed = position.safeParse(JSON.parse(content.toString('utf8')));
  return parsed.success && parsed.data.reader === readerId ? parsed.data.feeds : null;
}
