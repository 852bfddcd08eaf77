// The commands of the page, for the keys, the palette and the list of keys. Each is declared once.
import type { Replica } from '@taskgraph/client';
import type { ReadableGraph } from '../graph/blockers.ts';
import { COMPLETED, IN_PROGRESS } from '../graph/task.ts';
import { goTo } from '../history.ts';
import { refusalText } from '../messages/messages.ts';
import { VIEW_NAMES, type ViewName } from '../routes.ts';
import { ACT_KEYS } from '../selection/act-keys.ts';
import type { ActName } from '../selection/begin-change.ts';
import { note } from '../session/notices.ts';
import { clearSelection, isSelectable, selectAll, selectedIds, toggleSelected } from '../session/selection.ts';
import { activeTask, leaveTasks } from '../session/task-elements.ts';

/** What the commands act on. */
export interface CommandContext {
  readonly replica: Replica;
  readonly graph: ReadableGraph;
  /** The task whose panel is open. */
  readonly chosen: string | null;
  readonly showPalette: () => void;
  readonly showKeys: () => void;
  readonly showImport: () => void;
  readonly showExport: () => void;
  readonly signOut: () => void;
  /** Begins an act on tasks, which may ask first. */
  readonly change: (name: ActName, ids: readonly string[]) => void;
}

export type CommandName =
  | `go ${ViewName}`
  | ActName
  | 'access'
  | 'add'
  | 'undo'
  | 'redo'
  | 'filter'
  | 'palette'
  | 'keys'
  | 'importFile'
  | 'exportFile'
  | 'signOut'
  | 'select'
  | 'selectAll'
  | 'clearSelection'
  | 'collapseBranch'
  | 'expandBranch'
  | 'tidy';

export interface Command {
  readonly name: CommandName;
  /** As in a KeyTable; without one, only the palette runs it. */
  readonly key?: string;
  readonly needsTask?: true;
  /** Whether its key belongs to something else now. */
  readonly isKeyTaken?: (context: CommandContext) => boolean;
  /** Returns false if there is nothing to do, so that the key keeps its usual meaning. */
  readonly run: (context: CommandContext) => unknown;
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
  { name: 'undo', key: 'Ctrl+Z', run: undoLastChange },
  { name: 'redo', key: 'Ctrl+Shift+Z', run: redoLastChange },
  { name: 'filter', key: '/', run: focusFilter },
  { name: 'palette', key: 'Ctrl+K', run: ({ showPalette }) => showPalette() },
  { name: 'keys', key: '?', run: ({ showKeys }) => showKeys() },
  { name: 'selectAll', key: 'Ctrl+A', run: selectAll },
  {
    name: 'clearSelection',
    key: 'Escape',
    // It closes an open panel first.
    isKeyTaken: ({ chosen }) => chosen !== null,
    run: () => isSelectable() && selectedIds().size > 0 && clearSelection(),
  },
  { name: 'select', key: 'X', needsTask: true, run: toggleActive },
  ...Object.entries(ACT_KEYS).map(([name, key]) => actCommand(name as ActName, key)),
  { name: 'access', key: 'Shift+A', needsTask: true, run: showAccess },
  { name: 'importFile', run: ({ showImport }) => showImport() },
  { name: 'exportFile', run: ({ showExport }) => showExport() },
  { name: 'collapseBranch', key: '.', needsTask: true, run: (context) => setBranchCollapsed(context, true) },
  { name: 'expandBranch', key: ',', needsTask: true, run: (context) => setBranchCollapsed(context, false) },
  { name: 'tidy', run: tidy },
  { name: 'signOut', run: ({ signOut }) => signOut() },
];

/** Shows the failure of an act whose module is loaded first. */
function reportFailure(act: Promise<unknown>): void {
  act.catch((error: unknown) => note('refused', refusalText(error)));
}

function undoLastChange({ replica }: CommandContext): void {
  reportFailure(import('./command-acts.ts').then(({ undo }) => undo(replica)));
}

function redoLastChange({ replica }: CommandContext): void {
  reportFailure(import('./command-acts.ts').then(({ redo }) => redo(replica)));
}

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

/** The tasks on which an act acts: the selected ones, else the one with the focus or the open panel. */
export function targetsOf({ chosen }: Pick<CommandContext, 'chosen'>): readonly string[] {
  // Views without tasks do not show the selection, so nothing may act on it there.
  const selected = selectedIds();
  if (isSelectable() && selected.size > 0) return [...selected];
  const active = activeTask(chosen);
  return active === null ? [] : [active];
}

function actCommand(name: ActName, key: string | null): Command {
  const run = (context: CommandContext) => {
    const ids = targetsOf(context);
    if (ids.length === 0) return false;
    if (name === 'trash') leaveTasks(new Set(ids));
    const [only = ''] = ids;
    if (ids.length === 1 && (name === 'start' || name === 'done')) {
      const { replica, graph } = context;
      const status = name === 'start' ? IN_PROGRESS : COMPLETED;
      return reportFailure(
        import('./command-acts.ts').then(({ changeStatus }) => changeStatus(replica, graph, only, status)),
      );
    }
    return context.change(name, ids);
  };
  return key === null ? { name, needsTask: true, run } : { name, key, needsTask: true, run };
}

function toggleActive({ chosen }: CommandContext): unknown {
  const active = activeTask(chosen);
  return active !== null && toggleSelected(active);
}

/** The keys act on the task with the focus, else on the open one. */
function setBranchCollapsed({ replica, graph, chosen }: CommandContext, collapsed: boolean): void {
  const id = activeTask(chosen);
  if (id === null) return;
  reportFailure(
    import('../session/placement.ts').then(({ setCollapsed }) => setCollapsed(replica, graph, id, collapsed)),
  );
}

function showAccess({ chosen }: CommandContext): unknown {
  const id = activeTask(chosen);
  return (
    id !== null && reportFailure(import('../panel/sections.ts').then(({ openSection }) => openSection(id, 'access')))
  );
}

/** The cards that are tidied are those of the picture. */
function tidy(): void {
  const button = document.querySelector<HTMLElement>('[data-act="tidy"]');
  if (button === null) goTo('/graph');
  else button.click();
}
