// The calls of an import, over a connection of its own: an import decides its own keys and dry runs, which
// the queue of the replica does not (GEN8, DRY1). A connection belongs to one user until it is closed.
import {
  type CallOptions,
  connect,
  type EventName,
  imports,
  type Replica,
  rest,
  TaskgraphError,
} from '@taskgraph/client';
import type { ImportCalls } from './import-session.ts';

/** A large import reaches the limits of the service, which tells how long to wait. */
const RATE_LIMIT_WAIT_MS = 120_000;

/** Throws a TaskgraphError if it cannot connect, or the browser's session is not that of the replica. */
export async function openImportCalls({ userId }: Pick<Replica, 'userId'>): Promise<ImportCalls> {
  const client = await connect({ url: location.origin, session: true, rateLimitWaitMs: RATE_LIMIT_WAIT_MS });
  if (client.connected.uid !== userId) {
    client.close();
    throw otherUser();
  }
  let isOther = false;
  client.onConnected(({ uid }) => {
    if (uid === userId) return;
    isOther = true;
    client.close();
  });
  const call: ImportCalls['call'] = async (event: EventName, payload: object, options?: CallOptions) => {
    try {
      return await client.call(event, payload as never, options);
    } catch (error) {
      throw isOther ? otherUser() : error;
    }
  };
  const sources = imports(rest({ url: location.origin, session: true, rateLimitWaitMs: RATE_LIMIT_WAIT_MS }));
  const source: ImportCalls['source'] = async (method, args) => {
    // Its cookie would be that of the other user.
    if (isOther) throw otherUser();
    const answer = await (sources[method] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
    // Another tab may have signed in without ending the session of this one. All later calls name the source.
    if (method === 'begin' && (answer as { readonly user: string }).user !== userId) throw otherUser();
    return answer;
  };
  return { call, source, close: client.close };
}

function otherUser(): TaskgraphError {
  const message = 'The browser is signed in as somebody else.';
  return new TaskgraphError({ code: 'client.other_user', message, traceId: null });
}
