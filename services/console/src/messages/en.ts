// The texts of the console in English that the first load needs. Those of the views are in `en/`.
import { isolated } from './isolated.ts';

export function count(number: number, one: string, other: string): string {
  return `${NUMBER.format(number)} ${number === 1 ? one : other}`;
}

const NUMBER = new Intl.NumberFormat('en');
const LIST = new Intl.ListFormat('en', { type: 'conjunction' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export function quoted(title: string): string {
  return `“${isolated(title)}”`;
}

function list(items: readonly string[]): string {
  return LIST.format(items.map(isolated));
}

export const en = {
  brand: 'Taskgraph',
  /** The title of the window. */
  title: (page: string) => `${page} – Taskgraph`,
  skipToContent: 'Skip to the content',
  navigation: 'Views',
  moreViews: 'More',
  commands: 'Find…',
  files: {
    importFile: 'Import…',
    exportFile: 'Export…',
    drop: 'Drop the file to import it',
    one: 'Drop one file at a time.',
    notPrinted: (rows: number) => `${count(rows, 'more row is', 'more rows are')} not printed.`,
  },
  users: 'Users',
  number: (value: number) => NUMBER.format(value),
  day: (day: string) => DAY.format(new Date(`${day}T00:00:00Z`)),
  moment: (instant: string) => MOMENT.format(new Date(instant)),
  list,
  quoted,
  untitled: 'Untitled',
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',

  status: ['Available', 'In progress', 'Blocked', 'Completed'],
  connection: {
    live: 'Live',
    'catching-up': 'Catching up',
    offline: 'Offline. Your changes are sent when you reconnect.',
    'signed-out': 'Signed out',
  },
  pending: (changes: number) => count(changes, 'change is being sent', 'changes are being sent'),
  waiting: (changes: number) => count(changes, 'change waits to be sent', 'changes wait to be sent'),
  storing: (changes: number) => count(changes, 'change is being stored', 'changes are being stored'),
  refused: (changes: number) => count(changes, 'change was refused', 'changes were refused'),
  statusAfterNumber: ['available', 'in progress', 'blocked', 'completed'],
  tasksByStatus: 'Tasks by status',

  opening: 'Loading your tasks',
  unreachable: 'The service cannot be reached. The page reconnects automatically.',
  linkUnused: 'You are already signed in, so the link was not used.',
  signOut: 'Sign out',
  signedInAs: (name: string) => `Signed in as ${name}`,

  graph: { title: 'Graph' },
  outline: {
    title: 'Outline',
    help: 'Below each task are the tasks that it waits for. Use up and down to move, right and left to expand and collapse, Enter to open a task. F2 or E edits the title, C adds a task beside it, Shift+C below it, Alt+Right and Alt+Left move the task.',
    list: 'All tasks',
    reference: '(also below another task)',
    titleOf: (title: string) => `Title of ${quoted(title)}`,
  },
  filter: {
    label: 'Filter',
    words: 'Filter by words and conditions',
    placeholder: 'Words, status:open, tag:web',
    conditions: 'Conditions',
    status: 'Status',
    open: 'Open',
    tag: 'Tag',
    assignee: 'Assignee',
    me: 'me',
    late: 'Late',
    tagged: (tag: string) => `tag ${tag}`,
    assignedTo: (name: string) => `assigned to ${name}`,
    neighboursOf: (title: string) => `neighbours of ${quoted(title)}`,
    neighboursMissing: 'the neighbours of a task that you cannot see',
    steps: 'Distance',
    stepsAway: (steps: number) => (steps === 1 ? '1 step' : `up to ${NUMBER.format(steps)} steps`),
    branchOf: (title: string) => `branch of ${quoted(title)}`,
    scopeMissing: 'a branch that you cannot see',
    remove: (condition: string) => `Remove condition: ${condition}`,
    clear: 'Clear the filter',
    count: (shown: number, all: number) => `${NUMBER.format(shown)} of ${count(all, 'task', 'tasks')}`,
    none: 'No tasks match the filter.',
    noneReady: 'No ready tasks match the filter.',
    outside: 'does not match the filter',
    tooLong: 'A filter can have up to 10 words and 200 characters. This one is ignored.',
  },
  board: { title: 'Board' },
  plan: { title: 'Plan' },
  history: { title: 'History' },
  trash: { title: 'Trash' },
  shared: { title: 'Shared' },
  settings: { title: 'Settings' },
  ready: {
    title: 'Ready',
    lead: 'What you can do now, most urgent first.',
    list: 'Ready tasks',
    start: 'Start',
    startTask: (title: string) => `Start: ${title}`,
    done: 'Done',
    doneTask: (title: string) => `Done: ${title}`,
    frees: (tasks: number) => `unblocks ${NUMBER.format(tasks)}`,
    more: (rows: number) => `Show ${count(rows, 'more task', 'more tasks')}`,
    empty: 'Nothing is ready.',
    emptyBlocked: 'All remaining tasks are waiting for others.',
    first: 'You have no tasks yet. What is your goal?',
    planFailed: (reason: string) => `Could not compute the plan: ${reason}`,
    noPlan: 'There is no plan: the graph has more than 20,000 tasks, or its links temporarily form a cycle.',
    add: 'New task',
    addTitle: 'Title of the new task',
    addSubmit: 'Add',
  },
  effort: (volume: number) => `effort ${NUMBER.format(volume)}`,
  slack: (slack: number) => `slack ${NUMBER.format(slack)}`,
  critical: 'critical',
  due: (day: string) => `due ${day}`,
  late: 'late',

  panel: {
    label: 'Task',
    none: 'Choose a task to see what it waits for, and what waits for it.',
    missing: 'This task does not exist, or you cannot see it.',
    missingTitle: 'No such task',
    setStatus: 'Status',
    viewOnly: 'You can see this task, but not change it.',
    why: 'Why it is blocked',
    blockedBy: (tasks: number) => `Blocked by ${count(tasks, 'task', 'tasks')}`,
    blockedHidden: 'It waits for a task that you cannot see.',
    cannotSet: (blockers: readonly string[]) =>
      blockers.length === 0
        ? 'Blocked: complete what it waits for first.'
        : `Blocked: complete ${LIST.format(blockers)} first.`,
    startHere: 'Start here',
    waitsFor: (tasks: number) => `Waits for ${NUMBER.format(tasks)}`,
    holdsUp: (tasks: number) => `Holds up ${NUMBER.format(tasks)}`,
    related: 'does not block',
    more: (tasks: number) => `${NUMBER.format(tasks)} more`,
    fields: 'Fields',
    description: 'Description',
    effort: 'Effort',
    dueDate: 'Due',
    priority: 'Priority',
    assignee: 'Assigned to',
    tags: 'Tags',
    slack: 'Slack',
    slackCritical: '0, critical',
    claim: 'Claimed by',
    claimUntil: (name: string, time: string) => `${name}, until ${time}`,
    owner: 'Owner',
    created: 'Created',
    changed: 'Changed',
    access: 'Access',
    hasPublicLink: 'public link',
  },

  selection: {
    count: (tasks: number) => `${NUMBER.format(tasks)} selected`,
    selected: 'selected',
    tooMany: (most: number, tasks: number) =>
      `You can select up to ${NUMBER.format(most)} tasks. The first ${NUMBER.format(most)} of ${NUMBER.format(tasks)} are selected.`,
  },

  notices: 'Messages',
  completed: (title: string) => `Completed ${quoted(title)}.`,
  started: (title: string) => `Started ${quoted(title)}.`,
  reopened: (title: string) => `${quoted(title)} is available again.`,
  added: (title: string) => `Added ${quoted(title)}.`,
  moved: (title: string) => `Moved ${quoted(title)}.`,
  nowAvailable: (titles: readonly string[]) => `Now available: ${list(titles)}.`,

  undo: {
    undo: 'Undo',
    redo: 'Redo',
    nothing: 'Nothing to undo in this window. The history has earlier changes.',
    nothingUndone: 'Nothing to redo in this window.',
    undone: (change: string | undefined) => (change === undefined ? 'The change is undone.' : `Undone: ${change}`),
    redone: (change: string | undefined) => (change === undefined ? 'The change is redone.' : `Redone: ${change}`),
    notUndone: (change: string | undefined, reason: string) =>
      `Could not undo${change === undefined ? '' : ` (${change})`}: ${reason}`,
    notRedone: (change: string | undefined, reason: string) =>
      `Could not redo${change === undefined ? '' : ` (${change})`}: ${reason}`,
    changedSince: (changes: readonly string[]) => `Later changes would be lost: ${LIST.format(changes)}.`,
    conflict: (field: string, title: string | undefined, actor: string | undefined) =>
      `${field}${title === undefined ? '' : ` of ${quoted(title)}`}${actor === undefined ? '' : `, changed by ${actor}`}`,
    hiddenConflict: 'a change that you cannot see',
    /** The fields of a task and a link, by their name in the service. */
    fields: {
      title: 'the title',
      description: 'the description',
      status: 'the status',
      volume: 'the effort',
      dueDate: 'the due date',
      priority: 'the priority',
      tags: 'the tags',
      assignee: 'the people',
      independent: 'whether links block it',
      inTrash: 'whether it is in the trash',
      type: 'the kind of link',
      private: 'the privacy of the link',
    } as Readonly<Record<string, string>>,
    otherField: 'another field',
    refusals: {
      'conflict.already_undone': 'It is already undone.',
      'conflict.not_undone': 'It is not undone.',
      'conflict.irreversible': 'Part of it was deleted for good.',
      'conflict.expired': 'A share or a public link in it has expired.',
      'conflict.in_trash': 'Part of it is now in the trash.',
      'conflict.already_trashed': 'Part of it is already in the trash.',
      'conflict.cycle': 'A task would wait for itself.',
      'conflict.duplicate_link': 'The tasks are already linked.',
      'conflict.duplicate_reversed_link': 'The tasks are already linked in the other direction.',
      not_found: 'You can no longer see all of it.',
    } as Readonly<Record<string, string>>,
  },

  broken: {
    title: 'This view has failed',
    lead: (reason: string) => `Your tasks and unsent changes are not affected. (${reason})`,
    again: 'Try again',
    ready: 'Show the ready tasks',
  },

  notFound: { title: 'Page not found', lead: 'There is no page at this address.', back: 'Show the ready tasks' },

  /** Refusals by code. Others show the message of the service. */
  refusals: {
    unauthorized: 'You are signed out.',
    rate_limited: 'Too many requests. Wait a moment, then try again.',
    unavailable: 'The service is not available. Try again in a moment.',
    'conflict.node_blocked': 'It is blocked by a task that is not completed.',
    forbidden: 'You do not have permission.',
    'forbidden.read_only': 'You do not have permission.',
    'client.timeout': 'The service did not answer in time.',
    'client.disconnected': 'The service cannot be reached.',
    'client.queue_full': 'Too many changes are waiting to be sent.',
  } as Readonly<Record<string, string>>,
} as const;
