// The frame around the views: navigation, the view, the panel of the chosen task, and the status bar.
import { lazy, Suspense, useEffect, useRef } from 'react';
import { followLink, goTo, usePlace } from './history.ts';
import { messages, refusalText } from './messages/messages.ts';
import { StatusGlyph } from './panel/status-glyph.tsx';
import { TaskPanel } from './panel/task-panel.tsx';
import { dismissAll, note } from './session/notices.ts';
import { signOut } from './session/session-store.ts';
import { useGraphText, useReplicaState, useWorkspace } from './session/workspace.tsx';
import { NotFoundView } from './views/not-found.tsx';
import { Notices } from './views/notices.tsx';
import { ReadyView } from './views/ready.tsx';

export function Shell() {
  const place = usePlace();
  const task = place.view === 'task' ? place.id : null;
  const view = useListView();
  return (
    <div className="shell" data-panel={task === null ? 'closed' : 'open'}>
      <a className="skip" href="#content">
        {messages.skipToContent}
      </a>
      <Sidebar view={view} />
      <main id="content" tabIndex={-1} data-view={place.view === 'unknown' ? undefined : view}>
        {place.view === 'unknown' ? <NotFoundView /> : <View view={view} chosen={task} />}
      </main>
      {place.view !== 'unknown' && (
        <aside className="panel" aria-label={messages.panel.label}>
          {task === null ? (
            <p className="hint">{messages.panel.none}</p>
          ) : (
            <TaskPanel key={task} id={task} onClose={() => closePanel(task, view)} />
          )}
        </aside>
      )}
      <Notices />
      <StatusBar />
    </div>
  );
}

const GraphView = lazy(() => import('./views/graph.tsx').then((module) => ({ default: module.GraphView })));

/** A view that shows tasks, beside the panel of one. */
type ListView = 'ready' | 'graph';

function View({ view, chosen }: { readonly view: ListView; readonly chosen: string | null }) {
  if (view === 'ready') return <ReadyView chosen={chosen} />;
  return (
    <Suspense fallback={<p className="hint">{messages.opening}</p>}>
      <GraphView chosen={chosen} />
    </Suspense>
  );
}

/** The view of the address; for the address of a task the last one. */
function useListView(): ListView {
  const place = usePlace();
  const last = useRef<ListView>('ready');
  if (place.view === 'ready' || place.view === 'graph') last.current = place.view;
  return last.current;
}

/** The focus returns to the task in the view, if it is there. */
function closePanel(id: string, view: ListView): void {
  goTo(`/${view}`);
  const link = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
  (link ?? document.getElementById('content'))?.focus();
}

function Sidebar({ view }: { readonly view: ListView }) {
  const { replica, plan } = useWorkspace();
  useGraphText((_graph, index) => `${replica.username} ${index.counts()}`);
  const ready = plan?.ready.length;
  return (
    <header className="sidebar">
      <p className="brand">{messages.brand}</p>
      <nav aria-label={messages.navigation}>
        <a
          className="view-link"
          href="/ready"
          aria-current={view === 'ready' ? 'page' : undefined}
          onClick={followLink}
        >
          <span aria-hidden="true">▸</span>
          <span>{messages.ready.title}</span>
          {ready !== undefined && <span className="number">{messages.number(ready)}</span>}
        </a>
        <a
          className="view-link"
          href="/graph"
          aria-current={view === 'graph' ? 'page' : undefined}
          onClick={followLink}
        >
          <span aria-hidden="true">◇</span>
          <span>{messages.graph.title}</span>
        </a>
      </nav>
      <div className="account">
        {replica.username !== null && <span title={messages.signedInAs(replica.username)}>{replica.username}</span>}
        <button type="button" className="plain" onClick={leave}>
          {messages.signOut}
        </button>
      </div>
    </header>
  );
}

function leave(): void {
  signOut()
    .then(dismissAll)
    .catch((error: unknown) => note('refused', refusalText(error)));
}

function StatusBar() {
  const { replica, index } = useWorkspace();
  const state = useReplicaState();
  useGraphText((_graph, { counts }) => `${replica.waiting} ${counts()}`);
  useTabTitle();
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

function useTabTitle(): void {
  const ready = useWorkspace().plan?.ready.length ?? 0;
  useEffect(() => {
    const { title } = messages.ready;
    document.title = messages.title(ready === 0 ? title : `${title} (${messages.number(ready)})`);
  }, [ready]);
}
