// The tasks that a task waits for, or that wait for it, for readers who may change it: each link
// with what can be done to it, and a field to add one.
import { useId, useRef, useState } from 'react';
import { isPrimary, type Link, type Task } from '../../graph/task.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import {
  addAfter,
  addBefore,
  changeKind,
  changePrivacy,
  linkProblem,
  linkTasks,
  mayChangeKind,
  mayRemove,
  removeLink,
  reverseLink,
  type TaskPair,
} from '../../session/link-edits.ts';
import { useGraphText, useTasks, useWorkspace } from '../../session/workspace.tsx';
import { linksAt, tasksAt } from '../neighbours.tsx';
import { TaskLink } from '../task-list.tsx';
import { type SearchChoice, TaskSearch } from './task-search.tsx';

interface LinkListProps {
  readonly task: Task;
  /** The end of the links at which the other tasks are: `source` for those that come before. */
  readonly end: 'source' | 'target';
}

/** Rows that are shown at first, and added at once. */
const ROWS = 50;

export function LinkList({ task, end }: LinkListProps) {
  const { panel: texts } = messages;
  const { graph } = useWorkspace();
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [rows, setRows] = useState(ROWS);
  // Here, since a link leaves the graph for a moment when its readers change.
  const [opened, setOpened] = useState<string | null>(null);
  const tasks = useTasks((each) => tasksAt(each, task.id, end));
  // A link may change without its tasks.
  useGraphText((each) => JSON.stringify(linksAt(each, task.id, end)));
  const links = linksAt(graph, task.id, end).filter((link) => graph.task(link[end]) !== undefined);
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId} ref={heading} tabIndex={-1} data-section={end === 'source' ? 'links' : undefined}>
        {(end === 'source' ? texts.waitsFor : texts.holdsUp)(tasks.length)}
      </h3>
      {links.length > 0 && (
        <ul className="tasks">
          {links.slice(0, rows).map((link) => (
            <LinkRow
              key={link.id}
              link={link}
              other={graph.task(link[end]) as Task}
              task={task}
              end={end}
              isOpen={link.id === opened}
              onToggle={(isOpen) => setOpened((known) => (isOpen ? link.id : known === link.id ? null : known))}
              onLeave={() => heading.current?.focus()}
            />
          ))}
        </ul>
      )}
      {links.length > rows && (
        <button type="button" onClick={() => setRows(rows + ROWS)}>
          {messages.ready.more(Math.min(ROWS, links.length - rows))}
        </button>
      )}
      <NewLink task={task} end={end} />
    </section>
  );
}

function pairOf(task: Task, other: Task, end: LinkListProps['end']): TaskPair {
  return end === 'source' ? { first: other, waiting: task } : { first: task, waiting: other };
}

interface LinkRowProps extends LinkListProps {
  readonly link: Link;
  readonly other: Task;
  /** Whether the further acts show. */
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  /** Runs before the row goes away. */
  readonly onLeave: () => void;
}

function LinkRow({ task, end, ...row }: LinkRowProps) {
  const { link, other, onLeave } = row;
  const { replica, graph } = useWorkspace();
  const pair = pairOf(task, other, end);
  const title = titleOf(other);
  const isBlocking = isPrimary(link);
  return (
    <li className="link-row">
      <TaskLink task={other} />
      <span className="quiet">
        {messages.status[other.status]}
        {!isBlocking && <> · {messages.panel.related}</>}
        {link.private === true && <> · {edit.private}</>}
      </span>
      <span className="link-acts">
        {mayChangeKind(link, pair) && (
          <button
            type="button"
            className="plain"
            aria-label={isBlocking ? edit.makeSecondaryTo(title) : edit.makePrimaryTo(title)}
            onClick={() => void changeKind(replica, graph, link, pair)}
          >
            {isBlocking ? edit.makeSecondary : edit.makePrimary}
          </button>
        )}
        {mayRemove(link, pair) && (
          <button
            type="button"
            className="plain"
            aria-label={edit.removeLinkTo(title)}
            onClick={() => {
              onLeave();
              void removeLink(replica, graph, link, pair);
            }}
          >
            {edit.removeLink}
          </button>
        )}
        {mayChangeKind(link, pair) && <MoreActs pair={pair} title={title} {...row} />}
      </span>
    </li>
  );
}

interface MoreActsProps extends Pick<LinkRowProps, 'link' | 'isOpen' | 'onToggle' | 'onLeave'> {
  readonly pair: TaskPair;
  /** The title of the other task. */
  readonly title: string;
}

function MoreActs({ link, pair, title, isOpen, onToggle, onLeave }: MoreActsProps) {
  const { replica, graph } = useWorkspace();
  const isPrivate = link.private === true;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
      <summary aria-label={edit.moreActsOn(title)}>{edit.moreActs}</summary>
      <button
        type="button"
        className="plain"
        aria-label={edit.reverseTo(title)}
        onClick={() => {
          onLeave();
          void reverseLink(replica, graph, link, pair);
        }}
      >
        {edit.reverse}
      </button>
      <button
        type="button"
        className="plain"
        aria-label={isPrivate ? edit.makeVisibleTo(title) : edit.makePrivateTo(title)}
        onClick={() => {
          onLeave();
          void changePrivacy(replica, graph, link, pair);
        }}
      >
        {isPrivate ? edit.makeVisible : edit.makePrivate}
      </button>
    </details>
  );
}

function NewLink({ task, end }: LinkListProps) {
  const { replica, graph } = useWorkspace();
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isBefore = end === 'source';
  const close = () => {
    setIsOpen(false);
    queueMicrotask(() => button.current?.focus());
  };
  if (!isOpen) {
    return (
      <button type="button" ref={button} className="start" onClick={() => setIsOpen(true)}>
        {isBefore ? edit.before : edit.after}
      </button>
    );
  }
  return (
    <TaskSearch
      help={(isBefore ? edit.beforeHelp : edit.afterHelp)(titleOf(task))}
      self={task.id}
      problemOf={(other) => linkProblem(graph, pairOf(task, other, end))}
      onChoose={link}
      onClose={close}
    />
  );

  function link(choice: SearchChoice): Promise<boolean> {
    if (choice.kind === 'task') return linkTasks(replica, graph, pairOf(task, choice.task, end));
    return (isBefore ? addBefore : addAfter)(replica, graph, task, choice.title);
  }
}
