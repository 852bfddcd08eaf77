// Ends grants and publications at their time, and finds what nobody told of or Redis has forgotten. Rules: ACL5, PUB2, PUB5.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { isOver, listExpirations } from '@taskgraph/graph-store/maintenance/due-expirations';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { Expiration } from '@taskgraph/wire/messages';
import { count } from './metrics.ts';
import type { SendAsSystem } from './system-commands.ts';

/** Rows of a page of a sweep. */
const PAGE = 500;
/** Most pages of a sweep; what is left is found by the next one, since what was ended is gone then. */
const MAXIMUM_PAGES = 200;

/**
 * Ends all that is over on a node. Rejects, for another try, where the worker's clock is behind ours so that it found nothing to end yet.
 * Counts `done`, `nothing` and `gone`.
 */
export async function expire(
  { send, database, audit }: { readonly send: SendAsSystem; readonly database: Database; readonly audit: Audit },
  { nodeId, due }: Expiration,
): Promise<void> {
  const outcome = await send('node:expire', { id: nodeId });
  if (outcome === 'nothing' && (await isOver(database, nodeId, due))) {
    throw new Error(`the worker did not end what is over on ${nodeId}`);
  }
  if (outcome === 'done') audit({ event: 'access:end', outcome: 'ok', who: null, from: 'jobs', what: { nodeId } });
  count('expire', outcome);
}

/**
 * Hands on all that ends before a moment, a page at a time: what is over too. Counts `found`, the ends, and `cut` where there were more
 * than one sweep takes.
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
