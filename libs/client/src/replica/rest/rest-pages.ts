// Reads pages of the graph over REST, where they are compressed. Rules: WALK2, ZIP2.
import type { GraphPage } from '../../calls.ts';
import type { Connected, Session } from '../../session.ts';
import type { Credentials } from '../../socket.ts';

/** Entities of a page: as many as a page of a browser can apply without blocking for long. */
const LIMIT = 2_000;
const TIMEOUT_MS = 30_000;
/** 64 MiB. No page is as long, but a hostile answer may decompress to any length. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/**
 * Returns a function that reads a page of everything that is visible to the user with this id. Its result
 * is null if the answer is not a page of this user, or if there is none. From then on it is null until the
 * session connects again, so that REST that fails does not delay each page.
 */
export function createRestPages(session: Session, url: string, { token }: Credentials) {
  /** The connection since which REST gives no pages. */
  let failedSince: Connected | null = null;

  async function fetchPage(after: string | null, userId: string): Promise<GraphPage | null> {
    const connection = session.connected();
    const stopped = new AbortController();
    const unlisten = session.listen('closed', () => stopped.abort());
    const timer = setTimeout(() => stopped.abort(), TIMEOUT_MS);
    try {
      const cursor = after === null ? '' : `&after=${encodeURIComponent(after)}`;
      const response = await fetch(new URL(`/api/graph?limit=${LIMIT}${cursor}`, url), {
        ...(token === undefined ? { credentials: 'include' } : { headers: { Authorization: `Bearer ${token}` } }),
        signal: stopped.signal,
      });
      const content = new Response(response.body?.pipeThrough(atMost(MOST_BYTES)) ?? null);
      const page = (await content.json()) as GraphPage & { ok: boolean };
      // The session of a browser may be another user's by now, on a new connection too.
      const isOwn = response.headers.get('Taskgraph-User') === userId && session.connected() === connection;
      return page.ok && isOwn ? page : null;
    } finally {
      clearTimeout(timer);
      unlisten();
    }
  }

  return async (after: string | null, userId: string): Promise<GraphPage | null> => {
    const connection = session.connected();
    if (connection === failedSince) return null;
    // The socket reports refusals, and waits for a connection.
    const page = await fetchPage(after, userId).catch(() => null);
    if (page === null) failedSince = connection;
    return page;
  };
}

/** A stream that fails past this number of bytes. */
function atMost(most: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > most) controller.error(new Error('a page is too long'));
      else controller.enqueue(chunk);
    },
  });
}
