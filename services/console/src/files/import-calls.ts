// The calls of an import, over REST by the session of the browser: an import decides its own keys and dry
// runs, which the queue of the replica does not (GEN8, DRY1).
import { account, type EventName, type Replica, rest, TaskgraphError } from '@taskgraph/client';
import type { FileCall } from '../transfer/file-messages.ts';

const ROUTES: Readonly<Partial<Record<EventName, readonly ['POST' | 'DELETE', string]>>> = {
  'node:add': ['POST', '/api/node'],
  'node:trash': ['DELETE', '/api/node'],
  'batch:run': ['POST', '/api/batch'],
  'batch:undo': ['POST', '/api/history/undo'],
  'batch:redo': ['POST', '/api/history/redo'],
};
/** A large import reaches the limits of the service, which tells how long to wait. */
const RATE_LIMIT_WAIT_MS = 120_000;

export type ImportCalls = (call: Pick<FileCall, 'event' | 'payload' | 'options'>) => Promise<unknown>;

/** Throws a TaskgraphError if the browser's session is not that of the replica. */
export async function openImportCalls(replica: Pick<Replica, 'userId' | 'state'>): Promise<ImportCalls> {
  const credentials = { url: location.origin, session: true } as const;
  const { userId } = replica;
  const { id } = await account(credentials).me();
  if (id !== userId) throw otherUser();
  const client = rest({ ...credentials, rateLimitWaitMs: RATE_LIMIT_WAIT_MS });
  return async ({ event, payload, options: { dryRun, idempotencyKey, timeoutMs } }) => {
    const route = ROUTES[event];
    if (route === undefined) throw new Error(`an import makes no call ${event}`);
    if (replica.userId !== userId || replica.state === 'signed-out') throw otherUser();
    const [method, path] = route;
    return client.request(method, path, {
      body: dryRun === true ? { ...payload, dryRun } : payload,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  };
}

function otherUser(): TaskgraphError {
  const message = 'The browser is signed in as somebody else, or signed out.';
  return new TaskgraphError({ code: 'client.other_user', message, traceId: null });
}
