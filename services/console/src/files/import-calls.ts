// The calls of an import, over a connection of its own: an import decides its own keys and dry runs, which
// the queue of the replica does not (GEN8, DRY1). A connection belongs to one user until it is closed.
import { connect, type Replica, type TaskgraphClient, TaskgraphError } from '@taskgraph/client';

/** A large import reaches the limits of the service, which tells how long to wait. */
const RATE_LIMIT_WAIT_MS = 120_000;

export type ImportCalls = Pick<TaskgraphClient, 'call' | 'close'>;

/** Throws a TaskgraphError if it cannot connect, or the browser's session is not that of the replica. */
export async function openImportCalls({ userId }: Pick<Replica, 'userId'>): Promise<ImportCalls> {
  const client = await connect({ url: location.origin, session: true, rateLimitWaitMs: RATE_LIMIT_WAIT_MS });
  if (client.connected.uid === userId) return client;
  client.close();
  const message = 'The browser is signed in as somebody else.';
  throw new TaskgraphError({ code: 'client.other_user', message, traceId: null });
}
