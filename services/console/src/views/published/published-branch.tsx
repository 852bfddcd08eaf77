// The tasks of a publication as an outline: below each task those that it waits for.
import type { Replica, ReplicaState } from '@taskgraph/client';
import { type CSSProperties, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { GraphIndex } from '../../graph/graph-index.ts';
import { type OutlineRow, outlineRows } from '../../graph/outline.ts';
import { type Task, taskOf } from '../../graph/task.ts';
import { dueLabel, messages, titleOf } from '../../messages/messages.ts';
import { published as texts } from '../../messages/texts/published.ts';
import { sharedTaskOf } from '../../panel/access/shared-task.ts';
import { StatusGlyph } from '../../panel/status-glyph.tsx';
import { graphOf } from '../../session/workspace.tsx';

/** Rows that are added at once. */
const ROWS = 100;

interface PublishedBranchProps {
  readonly replica: Replica;
  readonly index: GraphIndex;
}

export function PublishedBranch({ replica, index }: PublishedBranchProps) {
  const [most, setMost] = useState(ROWS);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const graph = useMemo(() => graphOf(replica, index), [replica, index]);
  const revision = useRevision(replica);
  const rows = useMemo(
    () => (revision < 0 ? [] : outlineRows({ ...graph, roots: index.roots }, (id) => !collapsed.has(id), most + 1)),
    [graph, index, collapsed, most, revision],
  );
  const root = rootOf(replica);
  const title = root === undefined ? messages.untitled : titleOf(root);
  useEffect(() => {
    document.title = messages.title(title);
  }, [title]);
  const toggle = (id: string) => {
    const next = new Set(collapsed);
    if (!next.delete(id)) next.add(id);
    setCollapsed(next);
  };
  const tasks = index.counts().reduce((sum, each) => sum + each, 0);
  return (
    <div className="published">
      <main>
        <h1 dir="auto">{title}</h1>
        <p className="quiet">{texts.lead(tasks)}</p>
        <ul className="rows" aria-label={texts.list}>
          {rows.slice(0, most).map((row) => {
            const task = graph.task(row.id);
            return task === undefined ? null : <Row key={row.key} row={row} task={task} onToggle={toggle} />;
          })}
        </ul>
        {rows.length > most && (
          <button type="button" onClick={() => setMost(most + ROWS)}>
            {texts.more}
          </button>
        )}
      </main>
      <footer className="quiet">
        <Connection replica={replica} />
        {/* Another document: this one has no session. */}
        <a href="/">{texts.about}</a>
      </footer>
    </div>
  );
}

interface RowProps {
  readonly row: OutlineRow;
  readonly task: Task;
  readonly onToggle: (id: string) => void;
}

function Row({ row, task, onToggle }: RowProps) {
  const title = titleOf(task);
  return (
    <li className="published-row" data-status={task.status} style={{ '--level': row.level - 1 } as CSSProperties}>
      {row.hasChildren ? (
        <button
          type="button"
          className="plain"
          aria-expanded={row.isExpanded}
          aria-label={texts.expand(title)}
          onClick={() => onToggle(row.id)}
        >
          <span className="twisty" aria-hidden="true" data-open={row.isExpanded}>
            ▸
          </span>
        </button>
      ) : (
        <span />
      )}
      <span className="published-title">
        <span className="unseen">{texts.level(row.level)}</span>
        <StatusGlyph status={task.status} />{' '}
        <span className="task-title" dir="auto">
          {title}
        </span>
        {row.isReference && <span className="quiet"> ({texts.elsewhere})</span>}
      </span>
      <span className="facts">
        <span>{messages.status[task.status]}</span>
        {task.volume > 0 && <span>{messages.effort(task.volume)}</span>}
        {task.dueDate !== null && <span>{messages.due(dueLabel(task.dueDate))}</span>}
      </span>
      {task.description !== '' && !row.isReference && (
        <details>
          <summary aria-label={texts.descriptionOf(title)}>{texts.description}</summary>
          <p className="description" dir="auto">
            {task.description}
          </p>
        </details>
      )}
    </li>
  );
}

function Connection({ replica }: { readonly replica: Replica }) {
  const subscribe = useCallback((changed: () => void) => replica.on('state', changed), [replica]);
  const state = useSyncExternalStore<ReplicaState>(subscribe, () => replica.state);
  return (
    <span role="status" data-state={state}>
      {texts.connection[state]}
    </span>
  );
}

function useRevision(replica: Replica): number {
  const subscribe = useCallback(
    (changed: () => void) => replica.subscribe(({ revision }) => revision, changed),
    [replica],
  );
  return useSyncExternalStore(subscribe, () => replica.snapshot().revision);
}

/** The published task: the only share root that its readers see. */
function rootOf(replica: Replica): Task | undefined {
  const { nodes } = replica.snapshot();
  for (const node of nodes.values()) {
    const [id = node.id] = sharedTaskOf(node).shareRoots ?? [];
    const root = nodes.get(id);
    return root === undefined ? undefined : taskOf(root);
  }
  return undefined;
}
