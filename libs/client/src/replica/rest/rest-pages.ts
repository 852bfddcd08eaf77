// Reads pages of the graph over REST, where they are compressed. Rules: WALK2, ZIP2.
import type { GraphPage } from '../../calls.ts';
import type { Session } from '../../session.ts';
import type { Credentials } from '../../socket.ts';

/** Reads a page for the user with this id; null if the socket has to read it. */
export type ReadRestPage = (after: string | null, userId: string) => Promise<GraphPage | null>;

/** Entities of a page: as many as a page of a browser can apply without blocking for long. */
const PAGE_LIMIT = 2_000;
/** Until the head of the answer: behind some proxies a request over REST never gets one. */
const HEAD_TIMEOUT_MS = 5_000;
const BODY_TIMEOUT_MS = 30_000;
/** 64 MiB. No page is as long, but a hostile answer may decompress to any length. */
const MAXIMUM_BYTES = 64 * 1_024 * 1_024;
/** The pause after a failure. It doubles with each further failure in a row. */
const FIRST_PAUSE_MS = 60_000;
const MAXIMUM_DOUBLINGS = 5;

class RestFailure extends Error {
  /** The pause that the service asks for. */
  readonly pauseMs: number | null;

  constructor({ status, headers }: Response) {
    super(`a page over REST has status ${status}`);
    const seconds = Number(headers.get('Retry-After'));
    this.pauseMs = seconds > 0 ? seconds * 1_000 : null;
  }
}

/**
 * Returns a function that reads a page of everything that is visible to the user. Its result is
 * null if the answer is not a page of this user, or if there is none. After such a failure it makes
 * no requests for a while, so that REST that fails does not delay each page.
 */
export function createRestPages(
  session: Session,
  url: string,
  { token }: Credentials,
  nowMs: () => number = () => performance.now(),
): ReadRestPage {
  const pages = new URL('/api/graph', url.replace(/^ws/, 'http'));
  let failures = 0;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  async function fetchPage(after: string | null, userId: string): Promise<GraphPage> {
    const abort = new AbortController();
    const unlisten = session.listen('closed', () => abort.abort());
    let timer = setTimeout(() => abort.abort(), HEAD_TIMEOUT_MS);
    try {
      const cursor = after === null ? '' : `&after=${encodeURIComponent(after)}`;
      const response = await fetch(new URL(`?limit=${PAGE_LIMIT}${cursor}`, pages), {
        ...(token === undefined ? { credentials: 'include' } : { headers: { Authorization: `Bearer ${token}` } }),
        signal: abort.signal,
      });
      // The session of a browser may be another user's by now, on a new connection too.
      if (!response.ok || response.headers.get('Taskgraph-User') !== userId) throw new RestFailure(response);
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), BODY_TIMEOUT_MS);
      const content = new Response(response.body?.pipeThrough(atMost(MAXIMUM_BYTES)) ?? null);
      return (await content.json()) as GraphPage;
    } finally {
      clearTimeout(timer);
      unlisten();
      // Ends an answer that was not read.
      abort.abort();
    }
  }

  return async (after, userId) => {
    if (nowMs() < pausedUntilMs) return null;
    const connection = session.connected();
    try {
      const page = await fetchPage(after, userId);
      failures = 0;
      return session.connected() === connection ? page : null;
    } catch (error) {
      // The socket reports refusals, and waits for a connection.
      const backOffMs = FIRST_PAUSE_MS * 2 ** Math.min(failures, MAXIMUM_DOUBLINGS);
      const askedMs = error instanceof RestFailure ? error.pauseMs : null;
      if (askedMs === null) failures++;
      pausedUntilMs = nowMs() + (askedMs ?? backOffMs);
      return null;
    }
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
