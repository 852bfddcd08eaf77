// The frame around the views: navigation, the view, the panel of the chosen task, and the status bar.
import { useEffect } from 'react';
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
  return (
    <div className="shell" data-panel={task === null ? 'closed' : 'open'}>
      <a className="skip" href="#content">
        {messages.skipToContent}
      </a>
      <Sidebar />
      <main id="content" tabIndex={-1}>
        {place.view === 'unknown' ? <NotFoundView /> : <ReadyView chosen={task} />}
      </main>
      {place.view !== 'unknown' && (
        <aside className="panel" aria-label={messages.panel.label}>
          {task === null ? (
            <p className="hint">{messages.panel.none}</p>
          ) : (
            <TaskPanel key={task} id={task} onClose={() => closePanel(task)} />
          )}
        </aside>
      )}
      <Notices />
      <StatusBar />
    </div>
  );
}

/** The focus returns to the task in the list, if it is there. */
function closePanel(id: string): void {
  goTo('/ready');
  const link = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
  (link ?? document.getElementById('content'))?.focus();
}

function Sidebar() {
  const { replica, plan } = useWorkspace();
  useGraphText((_graph, index) => `${replica.username} ${index.counts()}`);
  const ready = plan?.ready.length;
  return (
    <header className="sidebar">
      <p className="brand">{messages.brand}</p>
      <nav aria-label={messages.navigation}>
        <a className="view-link" href="/ready" aria-current="page" onClick={followLink}>
          <span aria-hidden="true">▸</span>
          <span>{messages.ready.title}</span>
          {ready !== undefined && <span className="number">{messages.number(ready)}</span>}
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
