// The texts of the changes of several tasks, in English.
import { count, en } from '../en.ts';

const { quoted, number } = en;

const tasks = (amount: number) => count(amount, 'task', 'tasks');
const sentence = (amount: number, one: string, other: string) => `${count(amount, one, other)}.`;

export const selection = {
  label: 'Selection',
  actsOn: 'Change the selected tasks',
  clear: 'Clear',
  /** The name of the changed tasks in a sentence. */
  named: (titles: readonly string[]) => (titles.length === 1 ? quoted(titles[0] ?? '') : tasks(titles.length)),
  viewOnly: (amount: number) => `You can only view ${number(amount)} of them.`,

  acts: {
    start: 'Start',
    done: 'Complete',
    reopen: 'Make available',
    effort: 'Effort',
    priority: 'Priority',
    due: 'Due',
    assign: 'People',
    tags: 'Tags',
    move: 'Move below',
    trash: 'Move to trash',
  },
  titles: {
    volume: (named: string) => `Set the effort of ${named}`,
    priority: (named: string) => `Set the priority of ${named}`,
    dueDate: (named: string) => `Set the due date of ${named}`,
    assignee: (named: string) => `Assign ${named}`,
    tags: (named: string) => `Set the tags of ${named}`,
    move: (named: string) => `Move ${named} below another task`,
    trash: (named: string) => `Move ${named} to the trash`,
  },
  statusTitles: [
    (named: string) => `Make ${named} available`,
    (named: string) => `Start ${named}`,
    (_named: string) => '',
    (named: string) => `Complete ${named}`,
  ],
  apply: 'Apply',
  noDay: 'Leave this empty for no due date.',
  listChange: 'Add or remove',
  tag: 'Tag',
  person: 'Person',
  add: 'Add',
  remove: 'Remove',
  missingValue: 'Enter or choose a value first.',
  parent: 'Find the task that will wait for them',
  parentHelp: 'Use the arrow keys to move, Enter to choose.',
  noParent: 'you cannot make it wait',

  /** Why a change skips tasks. */
  skipped: {
    viewOnly: (amount: number) =>
      sentence(amount, 'task is skipped: you can only view it', 'tasks are skipped: you can only view them'),
    blocked: (amount: number) =>
      sentence(
        amount,
        'task is skipped: it is blocked by tasks that are not completed with it',
        'tasks are skipped: they are blocked by tasks that are not completed with them',
      ),
    same: (amount: number) => sentence(amount, 'task needs no change', 'tasks need no change'),
    full: (amount: number) =>
      sentence(amount, 'task is skipped: its list is full', 'tasks are skipped: their lists are full'),
    above: (amount: number) =>
      sentence(
        amount,
        'task is skipped: it would wait for itself',
        'tasks are skipped: they would wait for themselves',
      ),
    with: (amount: number) => sentence(amount, 'task moves with the one above it', 'tasks move with those above them'),
    link: (amount: number) =>
      sentence(
        amount,
        'task is skipped: you cannot remove its link',
        'tasks are skipped: you cannot remove their links',
      ),
  },
  nothing: (reasons: readonly string[]) => `Nothing to change. ${reasons.join(' ')}`.trim(),
  /** A batch is bounded. */
  tooMany: (most: number, operations: number) =>
    `One step can make up to ${number(most)} changes, and this needs ${number(operations)}. Select fewer tasks.`,
  refused: (reason: string, title: string | undefined) =>
    `Nothing was changed. ${title === undefined ? '' : `${quoted(title)}: `}${reason}`,

  done: {
    status: [
      (named: string) => `Made ${named} available.`,
      (named: string) => `Started ${named}.`,
      (_named: string) => '',
      (named: string) => `Completed ${named}.`,
    ],
    volume: (named: string) => `Changed the effort of ${named}.`,
    priority: (named: string) => `Changed the priority of ${named}.`,
    dueDate: (named: string) => `Changed the due date of ${named}.`,
    tagAdded: (tag: string, named: string) => `Added the tag ${quoted(tag)} to ${named}.`,
    tagRemoved: (tag: string, named: string) => `Removed the tag ${quoted(tag)} from ${named}.`,
    assigned: (name: string, named: string) => `Assigned ${named} to ${name}.`,
    unassigned: (name: string, named: string) => `${name} is no longer assigned to ${named}.`,
    moved: (named: string, target: string) => `Moved ${named} below ${quoted(target)}.`,
    trashed: (named: string) => `Moved ${named} to the trash.`,
  },
} as const;
