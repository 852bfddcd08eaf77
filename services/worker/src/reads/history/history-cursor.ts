// The opaque cursor of history:page: the batch after which the next page begins. It may be hidden
// from the reader, so the cursor is encrypted, and valid only for its user and query. Rule: HISX1.
import { createHash } from 'node:crypto';
import type { Moment } from '@taskgraph/graph-store/reads/history/history-index';
import { openText, sealText } from '@taskgraph/runtime/security/sealed-text';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import type { PayloadSchema } from '@taskgraph/wire/operations/operations';
import type { z } from 'zod';

export type HistoryRequest = z.infer<PayloadSchema<'history:page'>>;

/** The user of a cursor, and the query that it continues. */
interface Bearer {
  readonly readerId: string;
  readonly request: HistoryRequest;
}

export function sealCursor(secrets: Secrets, bearer: Bearer, { ts, batch }: Moment): string {
  // All cursors have one length: a shorter one would tell that no batch was examined.
  return sealText(secrets, bindingOf(bearer), JSON.stringify([ts, batch]).padEnd(CONTENT_LENGTH));
}

/** Longer than any moment. */
const CONTENT_LENGTH = 80;

/** The moment in a cursor of this user and this query; null for every other text. */
export function openCursor(secrets: Secrets, bearer: Bearer, text: string): Moment | null {
  const content = openText(secrets, bindingOf(bearer), text);
  if (content === null) return null;
  // Only the service seals texts.
  const [ts, batch] = JSON.parse(content) as [string, string];
  return { ts, batch };
}

/** All fields except `limit`, which may differ between the pages of a walk. */
function bindingOf({ readerId, request }: Bearer) {
  const { scopeType = 'GRAPH', scopeId = readerId, order, since, actor, ops } = request;
  const filters = [since ?? null, actor && [...new Set(actor)].sort(), ops && [...new Set(ops)].sort()];
  const query = createHash('sha256')
    .update(JSON.stringify([scopeType, scopeId, order, ...filters]))
    .digest('base64url');
  return { purpose: 'history', context: `${readerId} ${query}` } as const;
}
