// The frame around the views: navigation, the view, the panel of the chosen task, and the status bar.
import type { ReplicaState } from '@taskgraph/client';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { FileTools, type OpenFileDialog } from './files/file-tools.tsx';
import { followLink, goTo, usePlace } from './history.ts';
import { suspendKeys, useKeys, useLoadedDialog } from './keys.ts';
import { messages, refusalText } from './messages/messages.ts';
import { COMMANDS, type CommandContext } from './palette/commands.ts';
import { firstIdOf } from './panel/settled-id.ts';
import { StatusGlyph } from './panel/status-glyph.tsx';
import { VIEW_NAMES, type ViewName } from './routes.ts';
import type { ActName, ChangeQuestion } from './selection/begin-change.ts';
import type { LostChanges } from './session/lost-changes.ts';
import { dismissAll, note } from './session/notices.ts';
import { useSelectionPointer } from './session/pointer-selection.ts';
import { clearSelection, selectedIds, useSelection, useSelectionUpkeep } from './session/selection.ts';
import { signOut } from './session/session-store.ts';
import {
  useGraphText,
  useIsEmpty,
  useRefusals,
  useReplicaState,
  useUnstored,
  useWorkspace,
} from './session/workspace.tsx';
import { FilterBar } from './views/filter-bar.tsx';
import type { GoalState } from './views/first-run.tsx';
import { NotFoundView } from './views/not-found.tsx';
import { Notices } from './views/notices.tsx';
import { VIEWS } from './views/views.tsx';

/** The views in the bar of a phone; the others are behind a button there. */
const BAR_VIEWS: readonly ViewName[] = ['ready', 'graph', 'outline'];
/** The views that show tasks of the graph. */
const TASK_VIEWS: ReadonlySet<ViewName> = new Set(['ready', 'graph', 'outline', 'board', 'plan']);
const Palette = lazy(() => import('./palette/palette.tsx').then((module) => ({ default: module.Palette })));
const KeyList = lazy(() => import('./palette/key-list.tsx').then((module) => ({ default: module.KeyList })));
const Tray = lazy(() => import('./changes/tray.tsx').then((module) => ({ default: module.Tray })));
const SignOutDialog = lazy(() =>
  import('./changes/sign-out-dialog.tsx').then((module) => ({ default: module.SignOutDialog })),
);
const SelectionBar = lazy(() =>
  import('./selection/selection-bar.tsx').then((module) => ({ default: module.SelectionBar })),
);
const ChangeDialog = lazy(() =>
  import('./selection/change-dialog.tsx').then((module) => ({ default: module.ChangeDialog })),
);
const TaskPanel = lazy(() => import('./panel/task-panel.tsx').then((module) => ({ default: module.TaskPanel })));
const FirstRun = lazy(() => import('./views/first-run.tsx').then((module) => ({ default: module.FirstRun })));
const UsersView = lazy(() => import('./views/admin/users.tsx').then((module) => ({ default: module.UsersView })));

export function Shell() {
  const place = usePlace();
  const task = place.view === 'task' ? place.id : null;
  const view = useView();
  const isView = place.view !== 'unknown' && place.view !== 'users';
  const { replica } = useWorkspace();
  const files = useLoadedDialog<OpenFileDialog>();
  const commands = useCommands(task, files.show);
  const hasTasks = TASK_VIEWS.has(view) && isView;
  useSelectionPointer();
  return (
    <div className="shell" data-panel={task === null ? 'closed' : 'open'}>
      <a className="skip" href="#content">
        {messages.skipToContent}
      </a>
      <Sidebar view={isView ? view : null} context={commands.context} />
      {hasTasks && <FilterBar />}
      <main id="content" tabIndex={-1} data-view={isView ? view : undefined}>
        {place.view === 'unknown' ? (
          <NotFoundView />
        ) : (
          <Suspense fallback={<p className="hint">{messages.opening}</p>}>
            {isView && view === 'ready' && <FirstSteps onImport={commands.context.showImport} />}
            {place.view === 'users' ? <UsersView /> : <View view={view} chosen={task} />}
          </Suspense>
        )}
      </main>
      <div className="side-column">
        {isView && (
          <aside className="panel" aria-label={messages.panel.label}>
            {task === null ? (
              <p className="hint">{messages.panel.none}</p>
            ) : (
              <Suspense fallback={<p className="hint">{messages.opening}</p>}>
                <TaskPanel
                  key={firstIdOf(replica, task)}
                  id={task}
                  canLimitViews={hasTasks}
                  onClose={() => closePanel(task, view)}
                />
              </Suspense>
            )}
          </aside>
        )}
        <Notices />
      </div>
      <SelectionTools isShown={hasTasks} onAct={commands.context.change} />
      <StatusBar
        title={isView ? messages[view].title : place.view === 'users' ? messages.users : messages.notFound.title}
      />
      {commands.dialog}
      <FileTools open={files.open} onOpen={files.show} onClose={() => files.close()} chosen={task} />
    </div>
  );
}

/** The first steps in an empty account, until the reader ends them or has tasks from elsewhere. */
function FirstSteps({ onImport }: { readonly onImport: () => void }) {
  const state = useReplicaState();
  const isEmpty = useIsEmpty();
  /** `saving`: the graph has the goal already, and its id is not known yet. */
  const [goal, setGoal] = useState<GoalState>(null);
  const end = useCallback(() => setGoal(null), []);
  if (goal === null && (!isEmpty || state !== 'live')) return null;
  return <FirstRun goal={goal} onGoal={setGoal} onImport={onImport} onEnd={end} />;
}

/** The keys of the page, and the dialogs that they open. */
function useCommands(chosen: string | null, openFiles: (dialog: OpenFileDialog) => void) {
  const { replica, graph } = useWorkspace();
  const { open, show, close } = useLoadedDialog<'palette' | 'keys' | ChangeQuestion | SignOutQuestion>();
  const context = useMemo(
    (): CommandContext => ({
      replica,
      graph,
      chosen,
      showPalette: () => show('palette'),
      showKeys: () => show('keys'),
      showImport: () => openFiles({ kind: 'import', given: null }),
      showExport: () => openFiles({ kind: 'export' }),
      signOut: () => leave((lost) => show({ kind: 'sign-out', lost })),
      change(name, ids) {
        let isCancelled = false;
        const release = suspendKeys(() => {
          isCancelled = true;
        });
        import('./selection/begin-change.ts')
          .then(({ beginChange }) => {
            if (isCancelled) return;
            const question = beginChange(replica, graph, ids, name);
            if (question !== null) show(question);
          })
          .catch((error: unknown) => note('refused', refusalText(error)))
          .finally(release);
      },
    }),
    [replica, graph, chosen, openFiles, show],
  );
  useKeys(
    Object.fromEntries(
      COMMANDS.flatMap(({ key, run, isKeyTaken }) =>
        key === undefined ? [] : [[key, () => isKeyTaken?.(context) !== true && run(context)]],
      ),
    ),
  );
  const dialog = (
    <Suspense>
      {open === 'palette' && <Palette context={context} onClose={() => close(open)} />}
      {open === 'keys' && <KeyList onClose={() => close(open)} />}
      {typeof open === 'object' && open !== null && questionDialog(open, () => close(open))}
    </Suspense>
  );
  return { dialog, context };
}

/** A question before signing out deletes changes. */
interface SignOutQuestion {
  readonly kind: 'sign-out';
  readonly lost: LostChanges;
}

function questionDialog(question: ChangeQuestion | SignOutQuestion, close: () => void) {
  return question.kind === 'sign-out' ? (
    <SignOutDialog lost={question.lost} onClose={close} />
  ) : (
    <ChangeDialog question={question} onClose={close} />
  );
}

interface SelectionToolsProps {
  /** Whether the view shows tasks. */
  readonly isShown: boolean;
  readonly onAct: (name: ActName, ids: readonly string[]) => void;
}

/** The selection, if there is one: its number is announced, and its bar acts on it. */
function SelectionTools({ isShown, onAct }: SelectionToolsProps) {
  const selection = useSelection();
  useSelectionUpkeep(selection);
  const isOn = isShown && selection.size > 0;
  return (
    <>
      <p className="unseen" role="status">
        {isOn && messages.selection.count(selection.size)}
      </p>
      <Suspense>
        {isOn && (
          <SelectionBar
            selection={selection}
            onAct={(name) => onAct(name, [...selectedIds()])}
            onClear={() => {
              document.getElementById('content')?.focus();
              clearSelection();
            }}
          />
        )}
      </Suspense>
    </>
  );
}

function View({ view, chosen }: { readonly view: ViewName; readonly chosen: string | null }) {
  const { Component } = VIEWS[view];
  return <Component chosen={chosen} />;
}

/** The view of the address; for the address of a task the last one. */
function useView(): ViewName {
  const place = usePlace();
  const last = useRef<ViewName>('ready');
  const listed = VIEW_NAMES.find((view) => view === place.view);
  if (listed !== undefined) last.current = listed;
  return last.current;
}

/** The focus returns to the task in the view, if it is there. */
function closePanel(id: string, view: ViewName): void {
  goTo(`/${view}`);
  const link = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
  (link ?? document.getElementById('content'))?.focus();
}

function Sidebar({ view, context }: { readonly view: ViewName | null; readonly context: CommandContext }) {
  const { replica, plan } = useWorkspace();
  useGraphText(() => replica.username ?? '');
  const ready = plan?.ready.length;
  const current = useRef<HTMLAnchorElement>(null);
  // On a narrow screen the navigation scrolls sideways.
  useEffect(() => {
    if (view !== null) current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);
  const [isExpanded, setExpanded] = useState(false);
  useEffect(() => {
    if (!isExpanded) return;
    const collapse = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setExpanded(false);
    };
    document.addEventListener('keydown', collapse);
    return () => document.removeEventListener('keydown', collapse);
  }, [isExpanded]);
  const link = (each: ViewName) => (
    <a
      key={each}
      ref={view === each ? current : undefined}
      className="view-link"
      href={`/${each}`}
      aria-current={view === each ? 'page' : undefined}
      onClick={(event) => {
        setExpanded(false);
        followLink(event);
      }}
    >
      <span aria-hidden="true">{VIEWS[each].sign}</span>
      <span>{messages[each].title}</span>
      {each === 'ready' && ready !== undefined && <span className="number">{messages.number(ready)}</span>}
    </a>
  );
  const others = VIEW_NAMES.filter((each) => !BAR_VIEWS.includes(each));
  return (
    <header className="sidebar" data-expanded={isExpanded}>
      <p className="brand">{messages.brand}</p>
      <nav aria-label={messages.navigation}>
        {BAR_VIEWS.map(link)}
        <button
          type="button"
          className="more-views"
          aria-expanded={isExpanded}
          aria-controls="other-views"
          data-current={view !== null && others.includes(view)}
          onClick={() => setExpanded(!isExpanded)}
        >
          {messages.moreViews}
        </button>
        <div id="other-views" className="other-views">
          {others.map(link)}
        </div>
      </nav>
      <button
        type="button"
        className="plain palette-button"
        aria-keyshortcuts="Control+K"
        onClick={context.showPalette}
      >
        {messages.commands}
      </button>
      <div className="file-buttons">
        <button type="button" className="plain" onClick={context.showImport}>
          {messages.files.importFile}
        </button>
        <button type="button" className="plain" onClick={context.showExport}>
          {messages.files.exportFile}
        </button>
      </div>
      <div className="account">
        {replica.username !== null && (
          <span dir="auto" title={messages.signedInAs(replica.username)}>
            {replica.username}
          </span>
        )}
        <button type="button" className="plain" onClick={context.signOut}>
          {messages.signOut}
        </button>
      </div>
    </header>
  );
}

/** Asks if changes would be lost. */
function leave(ask: (lost: LostChanges) => void): void {
  signOut()
    .then((lost) => (lost === null ? dismissAll() : ask(lost)))
    .catch((error: unknown) => note('refused', refusalText(error)));
}

function StatusBar({ title }: { readonly title: string }) {
  const { replica, index } = useWorkspace();
  const state = useReplicaState();
  useGraphText((_graph, { counts }) => `${replica.waiting} ${counts()}`);
  useTabTitle(title);
  return (
    <footer className="status-bar" data-state={state}>
      <ul aria-label={messages.tasksByStatus}>
        {index.counts().map((count, status) => (
          <li key={messages.status[status]}>
            <StatusGlyph status={status} />
            <span>
              {messages.number(count)} <span className="count-word">{messages.statusAfterNumber[status]}</span>
            </span>
          </li>
        ))}
      </ul>
      <span className="connection" role="status">
        {messages.connection[state]}
      </span>
      <Changes state={state} />
    </footer>
  );
}

/** The numbers of changes that are being stored, that wait, and that were refused, which lead to the tray. */
function Changes({ state }: { readonly state: ReplicaState }) {
  const { replica } = useWorkspace();
  const refused = useRefusals().length;
  const tray = useLoadedDialog<'tray'>();
  const isOffline = state === 'offline';
  const unstored = useUnstored();
  // Without a connection, a change waits only once it is stored: before that, it is not safe.
  const storing = isOffline ? unstored : 0;
  const waiting = replica.waiting - storing;
  const parts = [
    ...(storing > 0 ? [messages.storing(storing)] : []),
    ...(waiting > 0 ? [(isOffline ? messages.waiting : messages.pending)(waiting)] : []),
    ...(refused > 0 ? [messages.refused(refused)] : []),
  ];
  return (
    <>
      {parts.length > 0 && (
        <button type="button" className="plain" aria-haspopup="dialog" onClick={() => tray.show('tray')}>
          {parts.join(' · ')}
        </button>
      )}
      <Suspense>{tray.open !== null && <Tray onClose={() => tray.close()} />}</Suspense>
    </>
  );
}

/** The title of the view, and for Ready the number of its tasks. */
function useTabTitle(title: string): void {
  const ready = useWorkspace().plan?.ready.length ?? 0;
  useEffect(() => {
    const hasNumber = title === messages.ready.title && ready > 0;
    document.title = messages.title(hasNumber ? `${title} (${messages.number(ready)})` : title);
  }, [title, ready]);
}
