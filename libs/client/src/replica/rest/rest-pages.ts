// Reads pages of the graph over REST, where they are compressed. Rules: WALK2, ZIP2.
import type { GraphPage } from '../../calls.ts';
import type { Session } from '../../session.ts';
import type { Credentials } from '../../socket.ts';

const TIMEOUT_MS = 30_000;
/** More than a page has: compressed bytes may become many. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/** A reader with an account. */
interface RestReader {
  readonly session: Session;
  /** The service's base URL. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly userId: string;
  /** Most entities of a page. */
  readonly limit: number;
}

/**
 * A page of everything that is visible to the reader; null if the answer is not a page of this user.
 * Rejects if there is no answer, or a longer one than a page.
 */
export async function pageOverRest(
  { session, url, credentials: { token }, userId, limit }: RestReader,
  after: string | null,
): Promise<GraphPage | null> {
  const greeting = session.connected();
  const cursor = after === null ? '' : `&after=${encodeURIComponent(after)}`;
  const response = await fetch(new URL(`/api/graph?limit=${limit}${cursor}`, url), {
    ...(token === undefined ? { credentials: 'include' } : { headers: { Authorization: `Bearer ${token}` } }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const content = new Response(response.body?.pipeThrough(atMost(MOST_BYTES)) ?? null);
  const page = (await content.json()) as GraphPage & { ok: boolean };
  // The session of a browser may be another user's by now, on a new connection too.
  const isOwn = response.headers.get('Taskgraph-User') === userId && session.connected() === greeting;
  return page.ok && isOwn ? page : null;
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
