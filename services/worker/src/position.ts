// The opaque position that a client hands back to ask what changed since: its feeds' heads, signed for its user (EVT2).
import { createHmac } from 'node:crypto';
import type { FeedHead } from '@taskgraph/graph-store/feeds';

/** Signs a reader's heads. Base64url of JSON, a dot, and HMAC-SHA-256 in base64url. */
export function signPosition(secret: string, readerId: string, heads: readonly FeedHead[]): string {
  const feeds = Object.fromEntries(heads.map(({ feed, seq }) => [feed, seq]));
  const body = Buffer.from(JSON.stringify({ reader: readerId, feeds })).toString('base64url');
  return `${body}.${createHmac('sha256', secret).update(`position:${body}`).digest('base64url')}`;
}
