// The opaque position that a client hands back to ask what changed since: its feeds' heads, signed for its user (EVT2).
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FeedHead } from '@taskgraph/graph-store/feeds';
import { z } from 'zod';

/** The number of the last slice that a reader knows of, by feed. */
export type Heads = Readonly<Record<string, number>>;

/** A reader's heads, as pages and acks carry them. */
export function headsOf(feeds: readonly Pick<FeedHead, 'feed' | 'seq'>[]): Heads {
  return Object.fromEntries(feeds.map(({ feed, seq }) => [feed, seq]));
}

/** Signs a reader's heads. Base64url of JSON, a dot, and HMAC-SHA-256 in base64url. */
export function signPosition(secret: string, readerId: string, heads: Heads): string {
  const body = Buffer.from(JSON.stringify({ reader: readerId, feeds: heads })).toString('base64url');
  return `${body}.${signatureOf(secret, body).toString('base64url')}`;
}

const position = z.strictObject({ reader: z.string(), feeds: z.record(z.string(), z.int().min(0)) });

/** The heads of a position that was signed for this reader, or null for everything else. */
export function openPosition(secret: string, readerId: string, text: string): Heads | null {
  const [body = '', signature = '', ...more] = text.split('.');
  const [given, wanted] = [Buffer.from(signature, 'base64url'), signatureOf(secret, body)];
  if (more.length > 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  // Signed by us, so it parses; the schema is there for positions of an older version.
  const parsed = position.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  return parsed.success && parsed.data.reader === readerId ? parsed.data.feeds : null;
}

function signatureOf(secret: string, body: string): Buffer {
  return createHmac('sha256', secret).update(`position:${body}`).digest();
}
