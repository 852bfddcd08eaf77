// Computes the slices of a batch of a model graph by brute force: each feed receives the changes
// that its readers may see. Rules: EVT1, EVT2, ACL7.
import { type Entity, type ModelState, OWN_FEED, type VisibleGraph, wholeLink, wholeNode } from './model-graph.ts';

export interface ModelChange {
  readonly kind: 'nodes' | 'links';
  readonly id: string;
  readonly op: number;
  /** The changed fields, before and after; null for a created or deleted entity. */
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

export interface AccessNews {
  readonly feed: string;
  readonly change: 'gained' | 'lost' | 'level';
  readonly level: number | null;
}

export interface ModelSlice {
  readonly nodes: Record<string, unknown>[];
  readonly links: Record<string, unknown>[];
  readonly joined: { nodes: string[]; links: string[] };
  readonly left: { nodes: string[]; links: string[] };
  readonly news: AccessNews[];
}

/** The state at one moment, and the part that the reader sees. */
export interface Moment {
  readonly state: ModelState;
  readonly visible: VisibleGraph;
}

const WHOLE = new Set([0, 4, 10, 13]);
const AWAY = new Set([3, 5, 12, 14]);

/** The slices of a batch, by feed. */
export function slicesOf(before: Moment, after: Moment, changes: readonly ModelChange[]): Map<string, ModelSlice> {
  const slices = new Map<string, ModelSlice>();
  const sliceOf = (feed: string) => {
    const slice = slices.get(feed) ?? { nodes: [], links: [], joined: noIds(), left: noIds(), news: [] };
    slices.set(feed, slice);
    return slice;
  };
  for (const change of changes) {
    const now = feedsOf(after, change);
    const was = AWAY.has(change.op) ? feedsOf(before, change) : [];
    for (const feed of new Set([...now, ...was])) {
      if (after.visible.feeds.has(feed)) sliceOf(feed)[change.kind].push(entryOf(after, change, feed));
    }
    if (change.kind === 'links') movePrivacy(before, after, change, sliceOf);
  }
  moveNodes(before, after, changes, sliceOf);
  for (const news of newsOf(before, after)) sliceOf(OWN_FEED).news.push(news);
  return slices;
}

const noIds = () => ({ nodes: [] as string[], links: [] as string[] });

function feedsOf({ state, visible }: Moment, { kind, id }: Pick<ModelChange, 'kind' | 'id'>): string[] {
  const having = (...ids: string[]) =>
    [...visible.feeds].filter(([, members]) => ids.every((each) => members.has(each))).map(([feed]) => feed);
  if (kind === 'nodes') return having(id);
  const link = state.links.get(id);
  if (link === undefined || link.inTrash) return [];
  const isSeen = visible.links.has(id);
  if (link.private) return isSeen ? [OWN_FEED] : [];
  const common = having(link.source, link.target);
  const byTwo = isSeen && ![...visible.read.keys()].some((feed) => common.includes(feed));
  return byTwo ? [...common, OWN_FEED] : common;
}

function entryOf(
  { state, visible }: Moment,
  { kind, id, op, before, after }: ModelChange,
  feed: string,
): Record<string, unknown> {
  if (after === null) return { op, before: { id, ...before }, after: { id, deleted: true, shareRoots: [] } };
  // The owner's own feed alone shows the token of a publication (ACL9).
  const token = feed === OWN_FEED && state.nodes.get(id)?.mine ? { publicToken: null } : {};
  const whole = (): Entity =>
    kind === 'nodes' ? { ...wholeNode(state, visible, id), ...token } : wholeLink(state, id);
  return { op, before: before === null ? {} : { id, ...before }, after: WHOLE.has(op) ? whole() : { id, ...after } };
}

function movePrivacy(before: Moment, after: Moment, { id }: ModelChange, sliceOf: (feed: string) => ModelSlice): void {
  const [was, is] = [before.state.links.get(id), after.state.links.get(id)];
  if (was === undefined || is === undefined || was.inTrash || is.inTrash || was.private === is.private) return;
  const common = ({ visible }: Moment) =>
    [...visible.feeds].filter(([, members]) => members.has(is.source) && members.has(is.target)).map(([feed]) => feed);
  for (const feed of is.private ? common(before) : [])
    if (after.visible.feeds.has(feed)) sliceOf(feed).left.links.push(id);
  for (const feed of is.private ? [] : common(after)) sliceOf(feed).joined.links.push(id);
  const readsByTwo = before.visible.links.has(id) && !common(before).some((feed) => before.visible.read.has(feed));
  if (is.private && !is.mine && readsByTwo) sliceOf(OWN_FEED).left.links.push(id);
}

function moveNodes(
  before: Moment,
  after: Moment,
  changes: readonly ModelChange[],
  sliceOf: (feed: string) => ModelSlice,
): void {
  for (const [feed, members] of after.visible.feeds) {
    const were = before.visible.feeds.get(feed);
    if (were === undefined) continue;
    const told = new Set(
      changes
        .filter(
          ({ kind, op, id }) => (AWAY.has(op) || WHOLE.has(op)) && feedsOfEither(before, after, kind, id).has(feed),
        )
        .map(({ id }) => id),
    );
    for (const [way, moved] of [
      ['joined', [...members].filter((id) => !were.has(id))],
      ['left', [...were].filter((id) => !members.has(id))],
    ] as const) {
      for (const id of moved) {
        const ids = sliceOf(feed)[way];
        if (!told.has(id)) ids.nodes.push(id);
        for (const link of after.state.links.values()) {
          if (link.inTrash || link.private || told.has(link.id)) continue;
          const other = link.source === id ? link.target : link.target === id ? link.source : null;
          const isThere = other !== null && (members.has(other) || (way === 'left' && were.has(other)));
          if (isThere && !ids.links.includes(link.id)) ids.links.push(link.id);
        }
      }
    }
  }
}

function feedsOfEither(before: Moment, after: Moment, kind: ModelChange['kind'], id: string): Set<string> {
  return new Set([...feedsOf(before, { kind, id }), ...feedsOf(after, { kind, id })]);
}

function newsOf({ visible: { read: was } }: Moment, { visible: { read: is } }: Moment): AccessNews[] {
  const lost = [...was.keys()].filter((feed) => !is.has(feed));
  const changed = [...is].filter(([feed, level]) => was.get(feed) !== level);
  return [
    ...lost.map((feed) => ({ feed, change: 'lost' as const, level: null })),
    ...changed.map(([feed, level]) => ({
      feed,
      change: was.has(feed) ? ('level' as const) : ('gained' as const),
      level,
    })),
  ];
}
