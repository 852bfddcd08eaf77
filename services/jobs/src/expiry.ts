// Ends grants and publications at their time, and finds those without a message or forgotten by
// Redis. Rules: ACL5, PUB2, PUB5.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { isOver, listExpirations } from '@taskgraph/graph-store/maintenance/due-expirations';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import { count } from './metrics.ts';
import type { SendAsSystem } from './system-commands.ts';

/** Rows of a page of a sweep. */
const PAGE = 500;
/**
 * Maximum number of pages of a sweep; the next sweep finds the rest, since ended rows are gone by
 * then.
 */
const MAXIMUM_PAGES = 200;

/**
 * Ends everything due on a node. Rejects, for a retry, if the worker's clock is behind this one and
 * it found nothing due yet. Counts `done`, `nothing` and `gone`.
 */
export async function expire(
  { send, database, audit }: { readonly send: SendAsSystem; readonly database: Database; readonly audit: Audit },
  { nodeId, due }: Expiration,
): Promise<void> {
  const outcome = await send('node:expire', { id: nodeId });
  if (outcome === 'nothing' && (await isOver(database, nodeId, due))) {
    throw new Error(`the worker did not end the due access on ${nodeId}`);
  }
  if (outcome === 'done') audit({ event: 'access:end', outcome: 'ok', who: null, from: 'jobs', what: { nodeId } });
  count('expire', outcome);
}

/**
 * Passes on all ends before a moment, including past ones, page by page. Counts `found` ends, and
 * `cut` if a sweep reaches its limit.
 */
export async function sweep(
  database: Database,
  until: string,
  {
    require,
    stopping,
  }: { readonly require: (expirations: readonly Expiration[]) => Promise<void>; readonly stopping: AbortSignal },
): Promise<void> {
  for (const kind of ['grants', 'publications'] as const) {
    let after: { readonly due: string; readonly key: string } | null = null;
    for (let pages = 0; pages < MAXIMUM_PAGES && !stopping.aborted; pages++) {
      const { expirations, next } = await listExpirations(database, kind, { until, after, limit: PAGE });
      await require(expirations);
      count('sweep', 'found', expirations.length);
      after = next;
      if (next === null) break;
    }
    if (after !== null) count('sweep', 'cut');
  }
}
