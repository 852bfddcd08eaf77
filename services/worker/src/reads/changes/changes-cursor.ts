// The opaque cursor of changes:get: the heads of its first page and the place of the walk, signed
// for its reader (EVT2).
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Secrets, signText, verifyText } from '@taskgraph/runtime/security/signed-text';
import { z } from 'zod';

const place = z.strictObject({ stage: z.int().min(0), feed: z.string(), node: z.string(), link: z.string() });

/** The place of a walk through changes: after this node or link, in this stage. */
export type Place = Readonly<z.infer<typeof place>>;

const cursor = z.strictObject({
  reader: z.string(),
  /** Digest of the walk's first position. */
  since: z.string(),
  heads: z.record(z.string(), z.int().min(0)),
  place,
});

export interface ChangesCursor {
  readonly heads: Readonly<Record<string, number>>;
  readonly place: Place;
}

/** The reader of the cursor, and the position that it belongs to. */
interface Bearer {
  readonly readerId: string;
  readonly since: string;
}

/** Longer than any cursor. */
const MAXIMUM_BYTES = 1024 * 1024;

/** Signs a cursor. It is deflated: a reader of many feeds sends it beside a long position. */
export function signCursor(
  secrets: Secrets,
  { readerId: reader, since }: Bearer,
  { heads, place }: ChangesCursor,
): string {
  const content = JSON.stringify({ reader, since: digest(since), heads, place });
  return signText(secrets, 'cursor', deflateRawSync(content));
}

/** A cursor that was signed for this reader and this position, or null for everything else. */
export function openCursor(secrets: Secrets, { readerId, since }: Bearer, text: string): ChangesCursor | null {
  const content = verifyText(secrets, 'cursor', text);
  if (content === null) return null;
  // The signature is ours, so it inflates and parses. The schema rejects cursors of older versions.
  const json = inflateRawSync(content, { maxOutputLength: MAXIMUM_BYTES }).toString('utf8');
  const parsed = cursor.safeParse(JSON.parse(json));
  if (!parsed.success || parsed.data.reader !== readerId || parsed.data.since !== digest(since)) return null;
  return parsed.data;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
