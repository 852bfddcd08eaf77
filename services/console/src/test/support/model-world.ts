// The reference model for tests of pages: it runs the commands of the acts, and says what each reader
// should then see. Titles are unique, so they stand for ids, which the service and the model choose
// themselves.
import { graphOf, trashOf } from '@taskgraph/reference-model/reads';
import { runCommand } from '@taskgraph/reference-model/run';
import { emptyState, type ModelState, type ModelUser } from '@taskgraph/reference-model/state';

/** Changes of a window that undo and redo remember (CON10). */
const MOST_CHANGES = 100;
const PRIMARY = 0;

/** What a reader sees, as sorted lines. */
export interface ShownPlan {
  readonly tasks: readonly string[];
  readonly links: readonly string[];
}

/** The changes that one window can undo and redo, by their batches. */
interface OwnBatches {
  all: readonly string[];
  done: readonly string[];
  undone: readonly string[];
}

export type ModelWorld = ReturnType<typeof createModelWorld>;

export function createModelWorld(users: readonly ModelUser[]) {
  let state: ModelState = emptyState(users);
  let serial = 0;
  let now = new Date(0).toISOString();
  const own = new Map<ModelUser, OwnBatches>(users.map((user) => [user, { all: [], done: [], undone: [] }]));

  /** Runs a command. Returns its batch; null if it is refused, or changes nothing. */
  function send(actor: ModelUser, event: string, payload: object): string | null {
    serial++;
    now = new Date(serial * 1_000).toISOString();
    const id = String(serial).padStart(6, '0');
    const names = (part: number) => ({ nodeId: `node ${id} ${part}`, linkId: `link ${id} ${part}`, publicToken: id });
    const moment = {
      now,
      batchId: `batch ${id}`,
      ...names(0),
      each: Array.from({ length: 4 }, (_, part) => names(part)),
    };
    const before = state.batches.length;
    const outcome = runCommand(state, { actor, event, payload: { ...payload }, key: null }, moment);
    state = outcome.state;
    return state.batches.length === before ? null : moment.batchId;
  }

  /** The same by the window of a user, which can undo it. */
  function act(actor: ModelUser, event: string, payload: object): void {
    const batch = send(actor, event, payload);
    const known = own.get(actor) as OwnBatches;
    if (batch === null) return;
    const all = [...known.all, batch].slice(-MOST_CHANGES);
    own.set(actor, { all, done: [...known.done, batch].filter((each) => all.includes(each)), undone: [] });
  }

  function revert(actor: ModelUser, from: 'done' | 'undone'): void {
    const known = own.get(actor) as OwnBatches;
    const batchId = known[from].at(-1);
    if (batchId === undefined) return;
    const to = from === 'done' ? 'undone' : 'done';
    const isDone = send(actor, from === 'done' ? 'batch:undo' : 'batch:redo', { batchId }) !== null;
    const left = { ...known, [from]: known[from].slice(0, -1) };
    own.set(actor, isDone ? { ...left, [to]: [...left[to], batchId] } : left);
  }

  const idOf = (title: string) => {
    const node = state.nodes.find((each) => each.title === title);
    if (node === undefined) throw new Error(`the model has no task ${title}`);
    return node.id;
  };
  const seenBy = (user: ModelUser) => graphOf(state, user, now);
  return {
    send,
    act,
    idOf,
    undo: (actor: ModelUser) => revert(actor, 'done'),
    redo: (actor: ModelUser) => revert(actor, 'undone'),
    linksBetween: (user: ModelUser, source: string, target: string) =>
      seenBy(user)
        .links.filter((link) => link.type === PRIMARY && link.source === idOf(source) && link.target === idOf(target))
        .map(({ id }) => id),
    trashedFor: (user: ModelUser) => trashOf(state, user, now).nodes.map(({ title }) => title),
    shownTo: (user: ModelUser): ShownPlan => planOf(seenBy(user)),
    storedFor: (user: ModelUser) => storedPlanOf(seenBy(user)),
  };
}

interface Graph {
  readonly nodes: readonly { readonly id: string; readonly title: string; readonly status: number }[];
  readonly links: readonly { readonly source: string; readonly target: string; readonly type: number }[];
}

/** What the outline shows: primary links alone. */
function planOf({ nodes, links }: Graph): ShownPlan {
  return sortedPlan(
    nodes,
    links.filter(({ type }) => type === PRIMARY),
    ({ title, status }) => `${title}: ${status}`,
  );
}

/** The same with what the outline does not show. */
export function storedPlanOf({ nodes, links }: Graph): ShownPlan {
  const collapsed = (node: object) => ('collapsed' in node && node.collapsed === true ? ', collapsed' : '');
  return sortedPlan(nodes, links, (node) => `${node.title}: ${node.status}${collapsed(node)}`);
}

function sortedPlan(
  nodes: Graph['nodes'],
  links: Graph['links'],
  line: (node: Graph['nodes'][number]) => string,
): ShownPlan {
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  return {
    tasks: nodes.map(line).sort(),
    links: links
      .map(({ source, target, type }) => `${titles.get(source)} ${type === PRIMARY ? '→' : '–'} ${titles.get(target)}`)
      .sort(),
  };
}
