// The changes that the reader made in this window, for undo and redo. Each command that is done
// counts, wherever in the page it began. Their texts name tasks, so a text goes when the reader no
// longer sees one of them. Rule: CON10.
import type { Replica, Slice } from '@taskgraph/client';

export interface OwnChange {
  readonly batch: string;
  /** What it did, in words; undefined if no message named it. */
  readonly text: string | undefined;
}

export interface OwnChanges {
  /** Removes the last change that is not undone, and returns it. */
  takeLast(): OwnChange | undefined;
  /** Removes the change that was undone last, and returns it. */
  takeUndone(): OwnChange | undefined;
  /** Puts a change back that was taken, because its undo or redo may work later. */
  putBack(change: OwnChange, to: 'done' | 'undone'): void;
  /** What a batch did, in words. */
  describe(batch: string, text: string): void;
  textOf(batch: string): string | undefined;
}

/** The oldest are forgotten. The history of the service has them. */
const MOST_CHANGES = 100;

/** Tasks of a change whose removal is watched. A larger change has no title of each. */
const MOST_NAMED = 200;
/** The operations that remove a task from the graph, and not from the reader's sight: trash, delete. */
const [TRASH, DELETE] = [3, 5];

interface Diff extends Pick<Slice, 'nodes' | 'links'> {
  readonly batchId: string | null;
}

const ALL = new WeakMap<Pick<Replica, 'on'>, OwnChanges>();

/** The changes by this replica since the first call. */
export function ownChangesOf(replica: Pick<Replica, 'on'>): OwnChanges {
  const known = ALL.get(replica);
  if (known !== undefined) return known;
  const created = createOwnChanges(replica);
  ALL.set(replica, created);
  return created;
}

export function createOwnChanges(replica: Pick<Replica, 'on'>): OwnChanges {
  /** The batches of this window that can be undone, and those that can be redone. The last is next. */
  let [done, undone]: [readonly string[], readonly string[]] = [[], []];
  /** The batches of this window, also those that are being undone. */
  const own = new Set<string>();
  const texts = new Map<string, string>();
  const sight = watchSight(replica);
  replica.on('access', () => texts.clear());
  const textOf = (batch: string) => (sight.isSeen(batch) ? texts.get(batch) : undefined);
  const changeOf = (batch: string): OwnChange => ({ batch, text: textOf(batch) });
  const without = (batches: readonly string[], batch: string) => batches.filter((each) => each !== batch);
  const bound = () => {
    for (const batch of own) if (own.size > MOST_CHANGES) own.delete(batch);
    for (const batch of texts.keys()) if (texts.size > MOST_CHANGES) texts.delete(batch);
    sight.retain(own);
    done = done.filter((batch) => own.has(batch));
    undone = undone.filter((batch) => own.has(batch));
  };
  replica.on('command:done', ({ answer }) => {
    const { undoOf, redoOf, diff } = answer as {
      readonly undoOf?: string;
      readonly redoOf?: string;
      readonly diff?: Diff;
    };
    const reverted = undoOf ?? redoOf;
    const batch = reverted ?? diff?.batchId;
    if (batch === undefined || batch === null) return;
    if (reverted === undefined) {
      own.add(batch);
      if (diff !== undefined) sight.name(batch, diff);
      undone = [];
    }
    if (diff !== undefined) sight.trashed(diff.nodes);
    if (!own.has(batch)) return;
    [done, undone] = [without(done, batch), without(undone, batch)];
    if (undoOf === undefined) done = [...done, batch];
    else undone = [...undone, batch];
    bound();
  });
  return {
    takeLast() {
      const batch = done.at(-1);
      done = done.slice(0, -1);
      return batch === undefined ? undefined : changeOf(batch);
    },
    takeUndone() {
      const batch = undone.at(-1);
      undone = undone.slice(0, -1);
      return batch === undefined ? undefined : changeOf(batch);
    },
    putBack({ batch }, to) {
      if (!own.has(batch) || done.includes(batch) || undone.includes(batch)) return;
      if (to === 'done') done = [...done, batch];
      else undone = [...undone, batch];
    },
    describe(batch, text) {
      texts.set(batch, text);
      bound();
    },
    textOf,
  };
}

/** Which batches have only tasks that the reader sees. A task in the trash is still theirs to see. */
function watchSight(replica: Pick<Replica, 'on'>) {
  /** The tasks of each batch. */
  const named = new Map<string, ReadonlySet<string>>();
  /** Those that left the graph, and those that went to the trash. */
  const [gone, inTrash] = [new Set<string>(), new Set<string>()];
  const isNamed = (id: string) => [...named.values()].some((ids) => ids.has(id));
  const trashed = (nodes: Diff['nodes']) => {
    for (const { op, before, after } of nodes) {
      const id = String(after.id ?? before.id);
      if ((op === TRASH || op === DELETE) && isNamed(id)) inTrash.add(id);
    }
  };
  replica.on('slice', ({ nodes }) => trashed(nodes));
  replica.on('node:added', ({ node }) => {
    gone.delete(node.id);
    inTrash.delete(node.id);
  });
  replica.on('node:removed', ({ id }) => {
    if (isNamed(id)) gone.add(id);
  });
  return {
    trashed,
    isSeen: (batch: string) => [...(named.get(batch) ?? [])].every((id) => !gone.has(id) || inTrash.has(id)),
    name(batch: string, { nodes, links }: Diff) {
      const ids = [
        ...nodes.map(({ before, after }) => after.id ?? before.id),
        ...links.flatMap(({ before, after }) => [after.source ?? before.source, after.target ?? before.target]),
      ];
      named.set(batch, new Set(ids.slice(0, MOST_NAMED).map(String)));
    },
    retain(batches: ReadonlySet<string>) {
      for (const batch of named.keys()) if (!batches.has(batch)) named.delete(batch);
      for (const ids of [gone, inTrash]) for (const id of ids) if (!isNamed(id)) ids.delete(id);
    },
  };
}
