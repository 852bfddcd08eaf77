// The pages of the history, newest first. New batches are counted, and shown on request, so that the
// list stays where the reader looks. When tasks leave the reader's sight, the pages that may name them
// go at once, and are read again. Rule: CON10.
import { type HistoryBatch, type HistoryPage, isProvisional, type Replica, type Slice } from '@taskgraph/client';

/** More newer batches are not counted. */
const MOST_NEWER = 1_000;
/** Trashed tasks that are remembered: the history shows them still. */
const MOST_TRASHED = 1_000;
/** The operations that remove a task from the graph, and not from the history: trash, delete. */
const [TRASH, DELETE] = [3, 5];

export type Scope = 'everyone' | 'mine';

export interface HistoryContent {
  readonly batches: readonly HistoryBatch[];
  /** Where the earlier ones begin; null at the end. */
  readonly next: string | null;
  readonly state: 'loading' | 'loaded' | { readonly failure: unknown };
  /** The batches since the list was read. */
  readonly newer: ReadonlySet<string>;
  /** Whether the connection was lost since, so that there may be others. */
  readonly mayHaveMissed: boolean;
  /** How often the pages went because tasks left. */
  readonly drops: number;
}

export interface HistoryList {
  content(): HistoryContent;
  subscribe(changed: () => void): () => void;
  /** Reads the first page, and follows the replica. Returns what ends that. */
  start(): () => void;
  /** Reads the next page. */
  more(): Promise<void>;
  /** Reads the first page again. */
  reload(): Promise<void>;
}

type NodeChange = Slice['nodes'][number];
type FollowedReplica = Pick<Replica, 'on' | 'username' | 'state'>;

export function createHistoryList(
  replica: FollowedReplica,
  scope: Scope,
  readPage: (after: string | null) => Promise<HistoryPage>,
): HistoryList {
  const listeners = new Set<() => void>();
  let content: HistoryContent = {
    batches: [],
    next: null,
    state: 'loading',
    newer: new Set(),
    mayHaveMissed: false,
    drops: 0,
  };
  let isReading = false;
  /** Whether the first page has to be read after the page that is being read. */
  let isStale = false;
  const trashed = new Set<string>();

  function set(next: Partial<HistoryContent>): void {
    content = Object.assign({}, content, next);
    for (const listener of [...listeners]) listener();
  }

  /** One read at a time. */
  async function read(first: string | null): Promise<void> {
    if (isReading) {
      if (first === null) isStale = true;
      return;
    }
    isReading = true;
    let after = first;
    do {
      isStale = false;
      set({ state: 'loading' });
      try {
        add(await readPage(after), after);
      } catch (error) {
        if (!isStale) set({ state: { failure: error } });
      }
      after = null;
    } while (isStale);
    isReading = false;
  }

  /** A page that is older than a drop may name tasks that left. */
  function add(page: HistoryPage, after: string | null): void {
    if (isStale) return;
    const batches = after === null ? page.batches : [...content.batches, ...page.batches];
    const shown = new Set(batches.map(({ batchId }) => batchId));
    set({
      batches,
      next: page.next,
      state: 'loaded',
      newer: new Set([...content.newer].filter((batch) => !shown.has(batch))),
    });
  }

  function reload(): Promise<void> {
    set({ newer: new Set(), mayHaveMissed: false });
    return read(null);
  }

  function drop(): void {
    set({ batches: [], next: null, drops: content.drops + 1 });
    if (replica.state !== 'signed-out') void reload();
  }

  function noteTrashed(changes: readonly NodeChange[]): void {
    for (const { op, before, after } of changes) {
      if (op === TRASH || op === DELETE) trashed.add(String(after.id ?? before.id));
    }
    for (const oldest of trashed) if (trashed.size > MOST_TRASHED) trashed.delete(oldest);
  }

  function follow(): () => void {
    const ends = [
      replica.on('slice', ({ batchId, actor, nodes }) => {
        noteTrashed(nodes);
        if (batchId === null || (scope === 'mine' && actor?.username !== replica.username)) return;
        if (content.newer.size < MOST_NEWER && !content.batches.some((batch) => batch.batchId === batchId))
          set({ newer: new Set([...content.newer, batchId]) });
      }),
      replica.on('state', ({ state }) => {
        if (state === 'offline') set({ mayHaveMissed: true });
      }),
      replica.on('access', drop),
      replica.on('node:removed', ({ id }) => {
        if (!isProvisional(id) && !trashed.has(id)) drop();
      }),
      replica.on('command:done', ({ answer }) => {
        const { diff } = answer as { readonly diff?: Pick<Slice, 'nodes'> };
        noteTrashed(diff?.nodes ?? []);
        // The list says at once what the reader undid, here or by keys.
        set({ batches: withReverted(content.batches, answer) });
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  return {
    content: () => content,
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    start() {
      void reload();
      return follow();
    },
    more: () => read(content.next),
    reload,
  };
}

function withReverted(
  batches: readonly HistoryBatch[],
  answer: Readonly<Record<string, unknown>>,
): readonly HistoryBatch[] {
  const { undoOf, redoOf } = answer;
  const reverted = undoOf ?? redoOf;
  if (reverted === undefined) return batches;
  return batches.map((batch) =>
    batch.batchId === reverted ? Object.assign({}, batch, { undone: undoOf !== undefined }) : batch,
  );
}
