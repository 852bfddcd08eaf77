// The frame around the views: navigation, the view, the panel of the chosen task, and the status bar.
import type { Replica } from '@taskgraph/client';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { FileTools, type OpenFileDialog } from './files/file-tools.tsx';
import { followLink, goTo, usePlace } from './history.ts';
import { useKeys } from './keys.ts';
import { messages, refusalText } from './messages/messages.ts';
import { COMMANDS, type CommandContext } from './palette/commands.ts';
import { firstIdOf } from './panel/settled-id.ts';
import { StatusGlyph } from './panel/status-glyph.tsx';
import { VIEW_NAMES, type ViewName } from './routes.ts';
import { dismissAll, note } from './session/notices.ts';
import { signOut } from './session/session-store.ts';
import { useGraphText, useReplicaState, useWorkspace } from './session/workspace.tsx';
import { FilterBar } from './views/filter-bar.tsx';
import type { GoalState } from './views/first-run.tsx';
import { NotFoundView } from './views/not-found.tsx';
import { Notices } from './views/notices.tsx';
import { VIEWS } from './views/views.tsx';

/** The views that show tasks of the graph. */
const FILTERED: ReadonlySet<ViewName> = new Set(['ready', 'graph', 'outline', 'board', 'plan']);
const Palette = lazy(() => import('./palette/palette.tsx').then((module) => ({ default: module.Palette })));
const KeyList = lazy(() => import('./palette/key-list.tsx').then((module) => ({ default: module.KeyList })));
const TaskPanel = lazy(() => import('./panel/task-panel.tsx').then((module) => ({ default: module.TaskPanel })));
const FirstRun = lazy(() => import('./views/first-run.tsx').then((module) => ({ default: module.FirstRun })));
const UsersView = lazy(() => import('./views/admin/users.tsx').then((module) => ({ default: module.UsersView })));

export function Shell() {
  const place = usePlace();
  const task = place.view === 'task' ? place.id : null;
  const view = useView();
  const isView = place.view !== 'unknown' && place.view !== 'users';
  const { replica } = useWorkspace();
  const [fileDialog, setFileDialog] = useState<OpenFileDialog | null>(null);
  const palette = useCommands(task, setFileDialog);
  return (
    <div className="shell" data-panel={task === null ? 'closed' : 'open'}>
      <a className="skip" href="#content">
        {messages.skipToContent}
      </a>
      <Sidebar view={isView ? view : null} context={palette.context} />
      {FILTERED.has(view) && isView && <FilterBar chosen={task} />}
      <main id="content" tabIndex={-1} data-view={isView ? view : undefined}>
        {place.view === 'unknown' ? (
          <NotFoundView />
        ) : (
          <Suspense fallback={<p className="hint">{messages.opening}</p>}>
            {isView && view === 'ready' && <FirstSteps onImport={palette.context.showImport} />}
            {place.view === 'users' ? <UsersView /> : <View view={view} chosen={task} />}
          </Suspense>
        )}
      </main>
      {isView && (
        <aside className="panel" aria-label={messages.panel.label}>
          {task === null ? (
            <p className="hint">{messages.panel.none}</p>
          ) : (
            <Suspense fallback={<p className="hint">{messages.opening}</p>}>
              <TaskPanel key={firstIdOf(replica, task)} id={task} onClose={() => closePanel(task, view)} />
            </Suspense>
          )}
        </aside>
      )}
      <Notices />
      <StatusBar
        title={isView ? messages[view].title : place.view === 'users' ? messages.users : messages.notFound.title}
      />
      {palette.dialog}
      <FileTools open={fileDialog} onOpen={setFileDialog} chosen={task} />
    </div>
  );
}

/** The first steps in an empty account, until the reader ends them or has tasks from elsewhere. */
function FirstSteps({ onImport }: { readonly onImport: () => void }) {
  const state = useReplicaState();
  const isEmpty = useGraphText((_graph, index) => index.counts().join(' ')) === '0 0 0 0';
  /** `saving`: the graph has the goal already, and its id is not known yet. */
  const [goal, setGoal] = useState<GoalState>(null);
  const end = useCallback(() => setGoal(null), []);
  if (goal === null && (!isEmpty || state !== 'live')) return null;
  return <FirstRun goal={goal} onGoal={setGoal} onImport={onImport} onEnd={end} />;
}

/** The keys of the page, and the dialogs that they open. */
function useCommands(chosen: string | null, openFiles: (dialog: OpenFileDialog) => void) {
  const { replica, graph } = useWorkspace();
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  const context = useMemo(
    (): CommandContext => ({
      replica,
      graph,
      chosen,
      showPalette: () => setOpen('palette'),
      showKeys: () => setOpen('keys'),
      showImport: () => openFiles({ kind: 'import', given: null }),
      showExport: () => openFiles({ kind: 'export' }),
      signOut: () => leave(replica),
    }),
    [replica, graph, chosen, openFiles],
  );
  useKeys(
    Object.fromEntries(COMMANDS.flatMap(({ key, run }) => (key === undefined ? [] : [[key, () => run(context)]]))),
  );
  // A command of the palette may have opened the other dialog.
  const close = (which: 'palette' | 'keys') => setOpen((now) => (now === which ? null : now));
  const dialog = (
    <Suspense>
      {open === 'palette' && <Palette context={context} onClose={() => close('palette')} />}
      {open === 'keys' && <KeyList onClose={() => close('keys')} />}
    </Suspense>
  );
  return { dialog, context };
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
  return (
    <header className="sidebar">
      <p className="brand">{messages.brand}</p>
      <nav aria-label={messages.navigation}>
        {VIEW_NAMES.map((each) => (
          <a
            key={each}
            ref={view === each ? current : undefined}
            className="view-link"
            href={`/${each}`}
            aria-current={view === each ? 'page' : undefined}
            onClick={followLink}
          >
            <span aria-hidden="true">{VIEWS[each].sign}</span>
            <span>{messages[each].title}</span>
            {each === 'ready' && ready !== undefined && <span className="number">{messages.number(ready)}</span>}
          </a>
        ))}
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
        {replica.username !== null && <span title={messages.signedInAs(replica.username)}>{replica.username}</span>}
        <button type="button" className="plain" onClick={() => leave(replica)}>
          {messages.signOut}
        </button>
      </div>
    </header>
  );
}

/** Commands without an answer would be lost with the replica. */
function leave(replica: Replica): void {
  if (replica.waiting > 0) {
    note('refused', messages.signOutWaits(replica.waiting));
    return;
  }
  signOut()
    .then(dismissAll)
    .catch((error: unknown) => note('refused', refusalText(error)));
}

function StatusBar({ title }: { readonly title: string }) {
  const { replica, index } = useWorkspace();
  const state = useReplicaState();
  useGraphText((_graph, { counts }) => `${replica.waiting} ${counts()}`);
  useTabTitle(title);
  const counts = messages.counts(index.counts());
  return (
    <footer className="status-bar" data-state={state}>
      <span className="connection" role="status">
        {messages.connection[state]}
      </span>
      {replica.waiting > 0 && <span>{messages.pending(replica.waiting)}</span>}
      <ul aria-label={messages.tasksByStatus}>
        {counts.map((count, status) => (
          <li key={messages.status[status]}>
            <StatusGlyph status={status} />
            {count}
          </li>
        ))}
      </ul>
    </footer>
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
