// The editor of links in the picture: the reader drags from the port of a card, or presses L, and
// chooses the task that waits. Cards that would close a cycle are faint meanwhile. Rule: CON18.
import { type Dispatch, type PointerEvent, type SetStateAction, useMemo, useRef, useState } from 'react';
import { MOST_TITLE_CHARACTERS } from '../../graph/limits.ts';
import type { Task } from '../../graph/task.ts';
import { tasksBefore } from '../../graph/waits-for.ts';
import { titleOf } from '../../messages/messages.ts';
import { linkTexts } from '../../messages/texts/link-editor.ts';
import type { Point } from '../../picture/camera.ts';
import type { PortHandlers } from '../../picture/card.tsx';
import { addAfter, canWait, linkProblem, linkTasks } from '../../session/link-edits.ts';
import { note } from '../../session/notices.ts';
import { useWorkspace } from '../../session/workspace.tsx';

/** A link that the reader has begun. */
export interface LinkDraft {
  /** The task that comes first. */
  readonly from: string;
  readonly way: 'keys' | 'pointer' | 'title';
  /** Where the pointer began and is now, or where the new task is named: in pixels of the picture. */
  readonly start: Point;
  readonly end: Point;
  /** The task under the pointer, or with the focus. */
  readonly over: string | null;
  /** What the reader has written as the title of the new task. */
  readonly title?: string;
}

export interface LinkEditor {
  readonly draft: LinkDraft | null;
  /** The tasks that can be linked; null without a draft. */
  readonly targets: { has(id: string): boolean } | null;
  beginByKeys(from: string): void;
  /** The reader walked to another task. */
  point(over: string): void;
  /** Links to a task, or tells why that is not possible. */
  finish(waiting: string): void;
  cancel(): void;
  /** The handlers of a card's port. */
  readonly port: PortHandlers;
  writeTitle(title: string): void;
  /** Adds the new task. A title that is refused returns to its field. */
  nameTask(title: string): void;
}

interface LinkEditorOptions {
  /** A point of the window in pixels of the picture. */
  readonly pointAt: (event: PointerEvent) => Point;
  readonly nodeAt: (point: Point) => string | null;
}

const NOWHERE: Point = { x: 0, y: 0 };

export function useLinkEditor({ pointAt, nodeAt }: LinkEditorOptions): LinkEditor {
  const { replica, graph } = useWorkspace();
  const [draft, setDraft] = useState<LinkDraft | null>(null);
  const from = draft?.from ?? null;
  const targets = useMemo(() => {
    if (from === null) return null;
    const before = tasksBefore(graph, from);
    const linked = new Set(
      [...graph.outgoing(from), ...graph.incoming(from)].flatMap(({ source, target }) => [source, target]),
    );
    const isPossible = (waiting: Task) => !linked.has(waiting.id) && (!canWait({ waiting }) || !before.has(waiting.id));
    return {
      has(id: string) {
        const waiting = graph.task(id);
        return id === from || (waiting !== undefined && isPossible(waiting));
      },
    };
  }, [graph, from]);

  const link = (first: string, waiting: string) => {
    setDraft(null);
    const pair = { first: graph.task(first), waiting: graph.task(waiting) };
    if (first === waiting || pair.first === undefined || pair.waiting === undefined) return;
    const known = { first: pair.first, waiting: pair.waiting };
    const problem = linkProblem(graph, known);
    if (problem !== null) return note('refused', linkTexts.cannot(problem));
    void linkTasks(replica, graph, known);
  };
  // The handlers stay the same, or each change would render all cards again.
  const current = useRef({ draft, pointAt, nodeAt, link });
  current.current = { draft, pointAt, nodeAt, link };
  const port = useMemo(() => portHandlers(current, setDraft), []);
  return {
    draft,
    targets,
    beginByKeys(id) {
      if (hasTitle(draft)) note('refused', linkTexts.nameFirst);
      else setDraft({ from: id, way: 'keys', start: NOWHERE, end: NOWHERE, over: id });
    },
    point: (over) => setDraft((before) => (before?.way === 'keys' ? { ...before, over } : before)),
    finish(waiting) {
      if (draft !== null) link(draft.from, waiting);
    },
    cancel: () => setDraft(null),
    port,
    writeTitle: (title) => setDraft((before) => (before?.way === 'title' ? { ...before, title } : before)),
    nameTask(title) {
      if (draft === null) return;
      if (title === '') return setDraft(null);
      const first = graph.task(draft.from);
      if (first === undefined) return note('refused', linkTexts.firstIsGone(title));
      setDraft(null);
      void addAfter(replica, graph, first, title).then((isAdded) => {
        if (isAdded) return;
        // The reader may have begun another link.
        if (current.current.draft === null) setDraft({ ...draft, title });
        else note('refused', linkTexts.notAdded(title));
      });
    },
  };
}

/** Whether another link would drop a title that the reader has written. */
function hasTitle(draft: LinkDraft | null): boolean {
  return (draft?.title ?? '').trim() !== '';
}

interface PortState extends LinkEditorOptions {
  readonly draft: LinkDraft | null;
  readonly link: (first: string, waiting: string) => void;
}

function portHandlers(
  state: { readonly current: PortState },
  setDraft: Dispatch<SetStateAction<LinkDraft | null>>,
): PortHandlers {
  return {
    onPointerDown(event) {
      const id = event.currentTarget.closest('li')?.querySelector<HTMLElement>('[data-task]')?.dataset.task;
      if (event.button !== 0 || id === undefined) return;
      if (hasTitle(state.current.draft)) return note('refused', linkTexts.nameFirst);
      event.currentTarget.setPointerCapture(event.pointerId);
      const start = state.current.pointAt(event);
      setDraft({ from: id, way: 'pointer', start, end: start, over: id });
    },
    onPointerMove(event) {
      const end = state.current.pointAt(event);
      const over = state.current.nodeAt(end);
      setDraft((before) => (before?.way === 'pointer' ? { ...before, end, over } : before));
    },
    onPointerUp(event) {
      const { draft, pointAt, nodeAt, link } = state.current;
      if (draft?.way !== 'pointer') return;
      const end = pointAt(event);
      const over = nodeAt(end);
      if (over === null) setDraft({ ...draft, way: 'title', end, over });
      else link(draft.from, over);
    },
    onPointerCancel: () => setDraft(null),
  };
}

/** The line of a link that is dragged, what would happen, and the field for a new task. */
export function LinkOverlay({ editor }: { readonly editor: LinkEditor }) {
  const { draft } = editor;
  return (
    <>
      {draft !== null && draft.way !== 'keys' && (
        <svg className="link-line" aria-hidden="true">
          <line x1={draft.start.x} y1={draft.start.y} x2={draft.end.x} y2={draft.end.y} />
        </svg>
      )}
      <p className="link-words" role="status">
        {draft === null ? '' : <DraftText draft={draft} targets={editor.targets} />}
      </p>
      {draft?.way === 'title' && <NewTaskField draft={draft} editor={editor} />}
    </>
  );
}

interface DraftTextProps extends Pick<LinkEditor, 'targets'> {
  readonly draft: LinkDraft;
}

function DraftText({ draft: { from, way, over }, targets }: DraftTextProps) {
  const { graph } = useWorkspace();
  const first = graph.task(from);
  // The words name the cycle, so they need a walk: one for each card, not for each move of the pointer.
  const problem = useMemo(() => {
    const pair = { first: graph.task(from), waiting: over === null ? undefined : graph.task(over) };
    if (over === null || targets?.has(over) !== false) return null;
    if (pair.first === undefined || pair.waiting === undefined) return null;
    return linkProblem(graph, { first: pair.first, waiting: pair.waiting });
  }, [graph, targets, from, over]);
  if (first === undefined) return null;
  const waiting = over === null ? undefined : graph.task(over);
  if (waiting === undefined) return linkTexts.newTask(titleOf(first));
  if (over === from) return (way === 'keys' ? linkTexts.chooseByKeys : linkTexts.choose)(titleOf(first));
  if (problem !== null) return linkTexts.cannot(problem);
  const text = canWait({ waiting }) ? linkTexts.waits : linkTexts.relates;
  return text(titleOf(waiting), titleOf(first));
}

interface NewTaskFieldProps {
  readonly draft: LinkDraft;
  readonly editor: LinkEditor;
}

function NewTaskField({ draft: { from, end, title = '' }, editor }: NewTaskFieldProps) {
  const { graph } = useWorkspace();
  const first = graph.task(from);
  return (
    <form
      className="link-title"
      style={{ left: end.x, top: end.y }}
      onSubmit={(event) => {
        event.preventDefault();
        editor.nameTask(title.trim());
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the reader has just dropped the link to name the task.
        autoFocus
        name="title"
        value={title}
        onChange={({ target }) => editor.writeTitle(target.value)}
        autoComplete="off"
        maxLength={MOST_TITLE_CHARACTERS}
        aria-label={linkTexts.newTitle(first === undefined ? '' : titleOf(first))}
        onBlur={() => title.trim() === '' && editor.cancel()}
        onKeyDown={(event) => {
          event.stopPropagation();
          // An input method uses these keys for its own candidates.
          if (event.nativeEvent.isComposing) {
            if (event.key === 'Enter') event.preventDefault();
          } else if (event.key === 'Escape') editor.cancel();
        }}
      />
    </form>
  );
}
