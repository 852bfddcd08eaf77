// A service in memory for one reader: it numbers slices, answers reads in pages, and runs each key
// once. Rules: EVT1 to EVT3, GEN8.
import type { Entity, ModelState, VisibleGraph } from './model-graph.ts';
import { OWN_FEED, visibleGraph, wholeLink, wholeNode } from './model-graph.ts';
import { type AccessNews, type ModelChange, type Moment, slicesOf } from './model-slices.ts';

/** A numbered slice for the reader, with its changes of access. */
export interface Push {
  readonly slice: { readonly feed: string; readonly seq: number } & Record<string, unknown>;
  readonly news: readonly AccessNews[];
  /** The number of the batch. */
  readonly commit: number;
}

/**
 * Bounds of answers: entities of a page, and slices and ids of one `changes:get` answer.
 */
export interface Bounds {
  readonly page: number;
  readonly slices: number;
  readonly ids: number;
}

interface Entry {
  readonly nodes: readonly string[];
  readonly links: readonly string[];
}

type Heads = Record<string, number>;

export type ModelServer = ReturnType<typeof createModelServer>;

export function createModelServer(bounds: Bounds, push: (pushes: Push[], heads: Heads) => void) {
  const state: ModelState = { nodes: new Map(), links: new Map(), grants: new Map(), others: new Set() };
  const heads = new Map<string, number>([[OWN_FEED, 0]]);
  const entries = new Map<string, Map<number, Entry>>();
  /** The visible graph after each batch. */
  const history: VisibleGraph[] = [visibleGraph(state)];
  const answers = new Map<string, Record<string, unknown>>();
  /** The ends of every link, also of deleted ones. */
  const ends = new Map<string, readonly string[]>();
  let made = 0;
  const done: string[] = [];

  const visible = () => history.at(-1) as VisibleGraph;
  const headsOf = (): Heads =>
    Object.fromEntries([...visible().read.keys()].map((feed) => [feed, heads.get(feed) ?? 0]));
  const position = (of: Heads) => JSON.stringify(of);
  const newId = (kind: string) => `${kind}${String(++made).padStart(4, '0')}`;

  /** Commits a batch. `act` returns its changes. */
  function commit(act: (state: ModelState) => ModelChange[]): { feeds: Heads; changes: ModelChange[] } {
    const before: Moment = { state: structuredClone(state), visible: visible() };
    const changes = act(state);
    history.push(visibleGraph(state));
    for (const { id, source, target } of state.links.values()) ends.set(id, [source, target]);
    const after: Moment = { state, visible: visible() };
    const pushes: Push[] = [];
    for (const [feed, slice] of slicesOf(before, after, changes)) {
      const seq = (heads.get(feed) ?? 0) + 1;
      heads.set(feed, seq);
      const idsOf = (kind: 'nodes' | 'links') => [
        ...slice[kind].map((entry) => (entry.after as { id: string }).id),
        ...slice.joined[kind],
        ...slice.left[kind],
      ];
      const roots = slice.news.map((news) => news.feed.slice(5));
      const log = entries.get(feed) ?? new Map<number, Entry>();
      entries.set(feed, log.set(seq, { nodes: [...idsOf('nodes'), ...roots], links: idsOf('links') }));
      if (!after.visible.read.has(feed)) continue;
      const { nodes, links, joined, left, news } = slice;
      const some = (ids: typeof joined) => ids.nodes.length + ids.links.length > 0;
      const moved = { ...(some(joined) ? { joined } : {}), ...(some(left) ? { left } : {}) };
      const sent = structuredClone({ feed, seq, batchId: 'b', ts: 't', nodes, links, access: [], ...moved });
      pushes.push({ slice: sent, news, commit: history.length - 1 });
    }
    // A reader who gains a feed receives its head; its slices follow.
    const gained = [...after.visible.read.keys()].filter((feed) => !before.visible.read.has(feed));
    push(pushes, Object.fromEntries(gained.map((feed) => [feed, heads.get(feed) ?? 0])));
    const feeds = Object.fromEntries(pushes.map(({ slice: { feed, seq } }) => [feed, seq]));
    return { feeds, changes };
  }

  const viewNode = (id: string) => wholeNode(state, visible(), id, visible().nodes.get(id));
  const page = (ids: readonly string[], limit: number) => {
    const some = ids.slice(0, limit);
    const isNode = (id: string) => id.startsWith('n');
    return {
      nodes: some.filter((id) => isNode(id) && visible().nodes.has(id)).map(viewNode),
      links: some.filter((id) => !isNode(id) && visible().links.has(id)).map((id) => wholeLink(state, id)),
      last: some.at(-1) ?? '',
      hasMore: ids.length > limit,
      some,
    };
  };
  /** Nodes come before links. */
  const inOrder = (ids: Iterable<string>, after: string) => {
    const key = (id: string) => (id.startsWith('n') ? `0${id}` : `1${id}`);
    const sorted = [...new Set(ids)].sort((one, other) => (key(one) < key(other) ? -1 : 1));
    return sorted.filter((id) => after === '' || key(id) > key(after));
  };

  function graphPage({ limit = 1_000, after = '' }: { limit?: number; after?: string }) {
    const { nodes, links, last, hasMore } = page(
      inOrder([...visible().nodes.keys(), ...visible().links], after),
      Math.min(limit, bounds.page),
    );
    const first = after === '' ? { feeds: headsOf(), position: position(headsOf()) } : {};
    return { ok: true, nodes, links: links.map(pageLink), hasMore, next: hasMore ? last : null, ...first };
  }

  function changes({
    since,
    heard = [],
    cursor,
  }: {
    since: string;
    heard?: { feed: string; seq: number }[];
    cursor?: string;
  }) {
    const from = JSON.parse(since) as Heads;
    for (const { feed, seq } of heard) if (feed in from) from[feed] = Math.max(from[feed] ?? 0, seq);
    const { to, after } = (cursor === undefined ? { to: headsOf(), after: '' } : JSON.parse(cursor)) as {
      to: Heads;
      after: string;
    };
    const read = [...visible().read.keys()].filter((feed) => feed in to);
    const missed = read.filter((feed) => feed in from);
    const stretch = missed.flatMap((feed) => {
      const log = entries.get(feed);
      const seqs = Array.from(
        { length: (to[feed] ?? 0) - (from[feed] ?? 0) },
        (_, index) => (from[feed] ?? 0) + index + 1,
      );
      return seqs.map((seq) => ({ feed, entry: log?.get(seq) }));
    });
    if (stretch.length > bounds.slices) return { ok: true, resetRequired: true };
    const ids = stretch.flatMap(({ entry }) => [...(entry?.nodes ?? []), ...(entry?.links ?? [])]);
    if (ids.length > bounds.ids) return { ok: true, resetRequired: true };
    const named = new Set(stretch.filter(({ feed }) => feed === OWN_FEED).flatMap(({ entry }) => entry?.nodes ?? []));
    const granted = missed.filter((feed) => feed !== OWN_FEED && named.has(feed.slice(5)));
    const gained = [...read.filter((feed) => !(feed in from)), ...granted];
    const changed = new Set(
      stretch
        .filter(({ feed }) => !granted.includes(feed))
        .flatMap(({ entry }) => [...(entry?.nodes ?? []), ...(entry?.links ?? [])]),
    );
    const came = new Set(gained.flatMap((feed) => [...(visible().feeds.get(feed) ?? [])]));
    const near = [...visible().links].filter((id) => {
      const { source, target } = state.links.get(id) as { source: string; target: string };
      return [source, target].some((end) => came.has(end) || changed.has(end));
    });
    const shown = page(inOrder([...changed, ...came, ...near], after), bounds.page);
    const isGone = (id: string) => changed.has(id) && !visible().nodes.has(id) && !visible().links.has(id);
    const gone = shown.some.filter(isGone);
    const lost = Object.keys(from).filter((feed) => !(feed in to));
    return {
      ok: true,
      nodes: shown.nodes,
      links: shown.links,
      position: position(to),
      hasMore: shown.hasMore,
      next: shown.hasMore ? JSON.stringify({ to, after: shown.last }) : null,
      gone: { nodes: gone.filter((id) => id.startsWith('n')), links: gone.filter((id) => id.startsWith('l')) },
      feeds: { gained, lost: [...lost, ...granted] },
      ...(cursor === undefined ? { heads: to } : {}),
    };
  }

  /** Runs a command of the reader. The same key returns the first answer. */
  function command(key: string, act: (state: ModelState) => ModelChange[]): Record<string, unknown> {
    const known = answers.get(key);
    if (known !== undefined) return known;
    done.push(key);
    const { feeds, changes: list } = commit(act);
    const moment: Moment = { state, visible: visible() };
    const entriesOf = (kind: 'nodes' | 'links') =>
      list
        .filter((change) => change.kind === kind)
        .map(({ id, op, before, after }) => {
          const whole = op === 0 ? viewNode(id) : op === 10 ? wholeLink(moment.state, id) : { id, ...after };
          return { op, before: before === null ? {} : { id, ...before }, after: whole };
        });
    const answer = { ok: true, diff: { nodes: entriesOf('nodes'), links: entriesOf('links') }, feeds };
    answers.set(key, structuredClone(answer));
    return answer;
  }

  return {
    state,
    history,
    ends,
    visible,
    commit,
    command,
    graphPage,
    changes,
    newId,
    headsOf,
    position: () => position(headsOf()),
    /** The keys of commands that ran, in order. */
    doneKeys: () => done,
    /** Everything that the reader sees. */
    graph: () => ({
      nodes: [...visible().nodes.keys()].map(viewNode).sort(byId),
      links: [...visible().links].map((id) => pageLink(wholeLink(state, id))).sort(byId),
    }),
  };
}

/** A link as pages show it (EVT3). */
function pageLink({ id, source, target, type, version, wasBlocker, private: hidden }: Entity): Entity {
  return { id, source, target, type, version, wasBlocker, private: hidden } as Entity;
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}
