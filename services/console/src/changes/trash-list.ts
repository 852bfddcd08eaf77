// The pages of the trash. No push names the content of the trash, so the pages are read again after
// each push that moves a task into it or out of it, and when the reader's access changes. Rule: CON11.
import type { Replica, TrashPage } from '@taskgraph/client';

export type TrashedTask = TrashPage['nodes'][number];

/** Tasks that one press adds. */
const ROWS = 100;
/** The trash has links too: a page may have no task. */
const PAGE = 500;
/** Pages that one press or push reads, at most. */
const MOST_PAGES = 10;
/** The operations that move a task into the trash or out of it: trash, restore, delete. */
const MOVES: ReadonlySet<number> = new Set([3, 4, 5]);

/** What was read. */
interface Pages {
  readonly tasks: readonly TrashedTask[];
  /** The entries that were read, links included: where the next page begins. */
  readonly offset: number;
  readonly hasMore: boolean;
}

export interface TrashContent {
  readonly tasks: readonly TrashedTask[];
  readonly hasMore: boolean;
  readonly state: 'loading' | 'loaded' | { readonly failure: unknown };
}

export interface TrashList {
  content(): TrashContent;
  subscribe(changed: () => void): () => void;
  /** Reads the trash, and follows the replica. Returns what ends that. */
  start(): () => void;
  /** Shows more tasks. */
  more(): Promise<void>;
  reload(): Promise<void>;
  /** Removes a task from the list while its command runs. */
  hide(id: string): void;
  show(id: string): void;
}

const EMPTY: Pages = { tasks: [], offset: 0, hasMore: false };

type ReadReplica = Pick<Replica, 'on' | 'call'>;

export function createTrashList(replica: ReadReplica): TrashList {
  const listeners = new Set<() => void>();
  const hidden = new Set<string>();
  let pages = EMPTY;
  let rows = ROWS;
  let state: TrashContent['state'] = 'loading';
  let isReading = false;
  /** Whether all has to be read again after what is being read. */
  let isStale = false;
  let content = contentNow();

  function contentNow(): TrashContent {
    const tasks = pages.tasks.filter(({ id }) => !hidden.has(id));
    return { tasks: tasks.slice(0, rows), hasMore: pages.hasMore || tasks.length > rows, state };
  }

  function changed(): void {
    content = contentNow();
    for (const listener of [...listeners]) listener();
  }

  /** One read at a time. What changes meanwhile is read after it. */
  async function read(first: Pages): Promise<void> {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    let from = first;
    do {
      isStale = false;
      state = 'loading';
      changed();
      await readOnce(from);
      from = EMPTY;
    } while (isStale);
    isReading = false;
  }

  async function readOnce(from: Pages): Promise<void> {
    try {
      const next = await readTasks(replica, from, rows);
      // It is older than what is read next, and may name tasks that left.
      if (isStale) return;
      pages = next;
      // A task that has left the trash may come back to it.
      const ids = new Set(next.tasks.map(({ id }) => id));
      for (const id of hidden) if (!ids.has(id)) hidden.delete(id);
      state = 'loaded';
    } catch (error) {
      state = { failure: error };
    }
    changed();
  }

  function follow(): () => void {
    const ends = [
      replica.on('slice', ({ nodes }) => {
        if (nodes.some(({ op }) => MOVES.has(op))) void read(EMPTY);
      }),
      replica.on('access', () => {
        pages = EMPTY;
        changed();
        void read(EMPTY);
      }),
      replica.on('state', ({ state: next }) => {
        if (next === 'live') void read(EMPTY);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  return {
    content: () => content,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start() {
      void read(EMPTY);
      return follow();
    },
    async more() {
      rows += ROWS;
      changed();
      // A read that is running is repeated, for the present number of rows.
      if (pages.hasMore && content.tasks.length < rows) await read(pages);
    },
    reload: () => read(EMPTY),
    hide(id) {
      hidden.add(id);
      changed();
    },
    show(id) {
      hidden.delete(id);
      changed();
    },
  };
}

/** Reads on until there are so many tasks, within a bound of pages. */
async function readTasks(replica: Pick<Replica, 'call'>, from: Pages, rows: number): Promise<Pages> {
  let { tasks, offset } = from;
  for (let pages = 1; ; pages++) {
    const page = await replica.call('trash:page', { limit: PAGE, offset });
    const known = new Set(tasks.map(({ id }) => id));
    tasks = [...tasks, ...page.nodes.filter(({ id }) => !known.has(id))];
    offset += page.nodes.length + page.links.length;
    if (!page.hasMore || tasks.length >= rows || pages === MOST_PAGES) return { tasks, offset, hasMore: page.hasMore };
  }
}
