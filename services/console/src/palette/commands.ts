// The commands of the page, for the keys, the palette and the list of keys. Each is declared once.
import type { Replica } from '@taskgraph/client';
import { blockersOf, type ReadableGraph } from '../graph/blockers.ts';
import { BLOCKED, COMPLETED, IN_PROGRESS, mayEdit } from '../graph/task.ts';
import { goTo } from '../history.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { blockedReason } from '../panel/blocked-reason.ts';
import { VIEW_NAMES, type ViewName } from '../routes.ts';
import { setStatus } from '../session/acts.ts';
import { note } from '../session/notices.ts';
import { redoLast, undoLast } from '../session/undo.ts';

/** What the commands act on. */
export interface CommandContext {
  readonly replica: Replica;
  readonly graph: ReadableGraph;
  /** The task whose panel is open. */
  readonly chosen: string | null;
  readonly showPalette: () => void;
  readonly showKeys: () => void;
  readonly signOut: () => void;
}

export type CommandName =
  | `go ${ViewName}`
  | 'add'
  | 'undo'
  | 'redo'
  | 'filter'
  | 'palette'
  | 'keys'
  | 'signOut'
  | 'start'
  | 'done'
  | 'collapseBranch'
  | 'expandBranch'
  | 'tidy';

export interface Command {
  readonly name: CommandName;
  /** As in a KeyTable; without one, only the palette runs it. */
  readonly key?: string;
  readonly needsTask?: true;
  readonly run: (context: CommandContext) => void;
}

/** The second key after G. */
const VIEW_KEYS: Readonly<Record<ViewName, string>> = {
  ready: 'R',
  graph: 'G',
  outline: 'O',
  board: 'B',
  plan: 'P',
  history: 'H',
  trash: 'T',
  shared: 'S',
  settings: ',',
};

export const COMMANDS: readonly Command[] = [
  ...VIEW_NAMES.map(
    (view): Command => ({ name: `go ${view}`, key: `G ${VIEW_KEYS[view]}`, run: () => goTo(`/${view}`) }),
  ),
  { name: 'add', key: 'C', run: focusNewTask },
  { name: 'undo', key: 'Ctrl+Z', run: ({ replica }) => void undoLast(replica) },
  { name: 'redo', key: 'Ctrl+Shift+Z', run: ({ replica }) => void redoLast(replica) },
  { name: 'filter', key: '/', run: focusFilter },
  { name: 'palette', key: 'Ctrl+K', run: ({ showPalette }) => showPalette() },
  { name: 'keys', key: '?', run: ({ showKeys }) => showKeys() },
  { name: 'start', key: 'S', needsTask: true, run: (context) => changeStatus(context, IN_PROGRESS) },
  { name: 'done', key: 'D', needsTask: true, run: (context) => changeStatus(context, COMPLETED) },
  { name: 'collapseBranch', key: '.', needsTask: true, run: (context) => fold(context, true) },
  { name: 'expandBranch', key: ',', needsTask: true, run: (context) => fold(context, false) },
  { name: 'tidy', run: tidy },
  { name: 'signOut', run: ({ signOut }) => signOut() },
];

/** Leads to the field of Ready that adds a task. */
function focusNewTask(): void {
  goTo('/ready');
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.new-task input')?.focus());
}

function focusFilter(): void {
  const field = document.querySelector<HTMLInputElement>('[data-filter="words"]');
  field?.focus();
  field?.select();
}

function changeStatus({ replica, graph, chosen }: CommandContext, status: typeof IN_PROGRESS | typeof COMPLETED): void {
  const task = chosen === null ? undefined : graph.task(chosen);
  if (task === undefined || task.status === status) return;
  const title = messages.quoted(titleOf(task));
  if (!mayEdit(task)) note('refused', `${title}: ${messages.panel.viewOnly}`);
  else if (task.status === BLOCKED) note('refused', `${title}: ${blockedReason(blockersOf(graph, task.id))}`);
  else void setStatus(replica, task, status);
}

/** Without an open task, the keys act on the task with the focus. */
function fold({ replica, graph, chosen }: CommandContext, collapsed: boolean): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-task]')?.dataset.task;
  const id = focused ?? chosen;
  if (id === null) return;
  void import('../session/placement.ts').then(({ setCollapsed }) => setCollapsed(replica, graph, id, collapsed));
}

/** The cards that are tidied are those of the picture. */
function tidy(): void {
  const button = document.querySelector<HTMLElement>('[data-act="tidy"]');
  if (button === null) goTo('/graph');
  else button.click();
}
