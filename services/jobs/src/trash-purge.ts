// Permanently deletes entities that have been in the trash for long, by commands, so that history,
// feeds and the trash record it. Rules: TRS5, LNK10.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listOldTrash } from '@taskgraph/graph-store/maintenance/old-trash';
import { listUsers } from '@taskgraph/graph-store/maintenance/user-list';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { count } from './metrics.ts';
import type { SendAsSystem } from './system-commands.ts';

/** Users whose trash one statement reads. */
const USERS_AT_ONCE = 500;
/** Maximum nodes or links of one user in one result. */
const EACH = 100;
/** Maximum commands in flight. */
const PURGES_AT_ONCE = 8;
/** Maximum commands of one run; the next run continues. */
const MAXIMUM_PURGES = 20_000;

interface PurgeContext {
  readonly database: Database;
  readonly send: SendAsSystem;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/**
 * Purges entities trashed before a moment (ISO 8601): nodes first, which removes many of the links.
 * Counts outcomes, including `failed`.
 */
export async function purgeTrash(context: PurgeContext, before: string): Promise<void> {
  const { database, stopping } = context;
  let sent = 0;
  for (let after = ''; ; ) {
    const owners = await listUsers(database, after, USERS_AT_ONCE);
    for (const kind of ['nodes', 'links'] as const) {
      for (let isMoving = true; isMoving && sent < MAXIMUM_PURGES && !stopping.aborted; ) {
        const ids = await listOldTrash(database, kind, { owners, before, each: EACH });
        sent += ids.length;
        // Every query finds an entity that can't be deleted again, so stop after a query without
        // progress.
        isMoving = await purgeAll(context, { kind, ids, before });
      }
    }
    after = owners.at(-1) ?? '';
    if (owners.length < USERS_AT_ONCE || sent >= MAXIMUM_PURGES || stopping.aborted) return;
  }
}

interface PurgeRequest {
  readonly kind: 'nodes' | 'links';
  readonly ids: readonly string[];
  readonly before: string;
}

/** Returns whether anything was deleted. */
async function purgeAll({ send, log, stopping }: PurgeContext, { kind, ids, before }: PurgeRequest): Promise<boolean> {
  const event = kind === 'nodes' ? 'node:purge' : 'link:purge';
  const waiting = [...ids];
  let isMoving = false;
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined && !stopping.aborted; id = waiting.pop()) {
      try {
        const outcome = await send(event, { id, before });
        if (outcome === 'done') isMoving = true;
        count('trash', outcome);
      } catch (error) {
        count('trash', 'failed');
        log.warn({ error, event, id }, 'an old entity in the trash could not be purged');
      }
    }
  };
  await Promise.all(Array.from({ length: PURGES_AT_ONCE }, work));
  return isMoving;
}
