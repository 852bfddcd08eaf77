// Reads graphs over REST.
import type { Read, ReaderActs, WalkResult } from './readers.ts';
import { ask, openRest } from './rest.ts';

interface Page {
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly nodes: readonly unknown[];
  readonly links: readonly unknown[];
}

export async function openOurReaders({ url }: { url: string }): Promise<ReaderActs> {
  const rest = openRest(url, 1, true);
  return {
    async connect({ token }) {
      await ask(rest, 'GET', '/api/trash?limit=1', token);
    },
    walk: (read) => walk(rest, read),
  };
}

/** A page's time ends with its text, because parsing is the client's own cost. */
async function walk(rest: ReturnType<typeof openRest>, { token, limit }: Read): Promise<WalkResult> {
  const pages: number[] = [];
  const linkPages: number[] = [];
  let [entities, firstBytes] = [0, 0];
  for (let after: string | null = ''; after !== null; ) {
    const cursor: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const startedAt = performance.now();
    const { status, body, wireBytes } = await rest.send('GET', `/api/graph?limit=${limit}${cursor}`, token);
    const ms = performance.now() - startedAt;
    if (status !== 200) throw new Error(`a page was answered ${status}: ${body.slice(0, 200)}`);
    const page = JSON.parse(body) as Page;
    if (pages.push(ms) === 1) firstBytes = wireBytes;
    if (page.nodes.length === 0) linkPages.push(ms);
    entities += page.nodes.length + page.links.length;
    after = page.hasMore ? page.next : null;
  }
  return { pages, linkPages, entities, firstBytes };
}
