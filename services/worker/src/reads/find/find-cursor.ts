// The opaque cursor of node:find. Its signature covers its user and its search. Rule: FIND3.
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Place } from '@taskgraph/domain/find/search';
import { type Secrets, signText, verifyText } from '@taskgraph/runtime/security/signed-text';
import { z } from 'zod';

const place = z.strictObject({
  value: z.union([z.string(), z.number(), z.null()]),
  edited: z.string().optional(),
  id: z.string(),
});

const content = z.strictObject({
  bearer: z.string(),
  start: z.string(),
  from: z.string(),
  to: z.string().nullable(),
  place: place.nullable(),
});

/** A round of a search covers the nodes after an id, up to another id or to the last node. */
export interface FindCursor {
  /** The id at which the index begins. */
  readonly start: string;
  readonly from: string;
  /** Null for the last node. */
  readonly to: string | null;
  /** The last hit that the round has returned; null before its first page, which decides `to`. */
  readonly place: Place | null;
}

/** Longer than any content. */
const MAXIMUM_BYTES = 64 * 1024;

/** `search` contains the user and everything that decides the hits and their order. */
export function signFindCursor(secrets: Secrets, search: readonly unknown[], cursor: FindCursor): string {
  const json = JSON.stringify({ bearer: digest(search), ...cursor });
  return signText(secrets, 'find', deflateRawSync(json));
}

/** Null for a text that is no cursor of this search. */
export function openFindCursor(secrets: Secrets, search: readonly unknown[], text: string): FindCursor | null {
  const signed = verifyText(secrets, 'find', text);
  if (signed === null) return null;
  // The signature is ours, so the text inflates and parses. The schema rejects cursors of older
  // versions.
  const json = inflateRawSync(signed, { maxOutputLength: MAXIMUM_BYTES }).toString('utf8');
  const parsed = content.safeParse(JSON.parse(json));
  return parsed.success && parsed.data.bearer === digest(search) ? parsed.data : null;
}

function digest(value: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
