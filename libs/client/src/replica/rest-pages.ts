// Reads pages of the graph over REST, where they are compressed. Rules: WALK2, ZIP2.
import type { GraphPage } from '../calls.ts';
import type { Session } from '../session.ts';
import type { Credentials } from '../socket.ts';

/** Entities of a page. The service may end a page earlier. */
export const PAGE_LIMIT = 5_000;
export const TIMEOUT_MS = 30_000;
/** More than a page has: compressed bytes may become many. */
const MOST_BYTES = 67_108_864;

/**
 * A page of everything that is visible to the user with this id; null if the socket has to fetch it.
 * The socket then reports refusals, and waits for a connection.
 */
export type RestPages = (after: string | null, userId: string) => Promise<GraphPage | null>;

/** Undefined without an account: the address would have the public token. */
export function restPages(session: Session, url: string, credentials: Credentials): RestPages | undefined {
  const { token, publicToken } = credentials;
  if (publicToken !== undefined) return undefined;
  const request: RequestInit =
    token === undefined ? { credentials: 'include' } : { headers: { Authorization: `Bearer ${token}` } };
  return async (after, userId) => {
    const greeting = session.connected();
    const cursor = after === null ? '' : `&after=${encodeURIComponent(after)}`;
    try {
      const response = await fetch(new URL(`/api/graph?limit=${PAGE_LIMIT}${cursor}`, url), {
        ...request,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const content = new Response(response.body!.pipeThrough(atMost(MOST_BYTES)));
      const page = (await content.json()) as GraphPage & { ok: boolean };
      // The session of a browser may be another user's by now, on a new connection too.
      const isOwn = response.headers.get('Taskgraph-User') === userId && session.connected() === greeting;
      return page.ok && isOwn ? page : null;
    } catch {
      return null;
    }
  };
}

/** A stream that fails past this number of bytes. */
function atMost(bytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(chunk, controller) {
      bytes -= chunk.length;
      if (bytes < 0) controller.error();
      else controller.enqueue(chunk);
    },
  });
}
