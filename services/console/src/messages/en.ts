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
    one: 'One file at a time, please.',
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
  pending: (changes: number) => count(changes, 'change is on its way', 'changes are on their way'),
  waiting: (changes: number) => count(changes, 'change waits to be sent', 'changes wait to be sent'),
  refused: (changes: number) => count(changes, 'change was refused', 'changes were refused'),
  copyFailed: (reason: string) =>
    `This device stores no copy of your tasks now. Keep this page open until your changes are sent. (${reason})`,
  copyStays: (reason: string) => `The copy of your tasks on this device could not be deleted: ${reason}`,
  counts: (numbers: readonly number[]) =>
    ['available', 'in progress', 'blocked', 'completed'].map(
      (word, place) => `${NUMBER.format(numbers[place] ?? 0)} ${word}`,
    ),
  tasksByStatus: 'Tasks by status',

  opening: 'Opening your tasks',
  unreachable: 'The service cannot be reached. The page connects again by itself.',
  linkUnused: 'You are signed in already, so the link was not used.',
  signOut: 'Sign out',
  signOutWaits: (changes: number) =>
    `${count(changes, 'change is', 'changes are')} not sent yet. Sign out when the service has answered.`,
  signedInAs: (name: string) => `Signed in as ${name}`,

  graph: {
    title: 'Graph',
    help: 'A picture of your tasks: what must be done first is on the left. Use the arrow keys to move from card to card, L to link a task, plus and minus to zoom, and zero to show everything. The panel of a task lists its neighbours as text.',
    cards: 'Tasks in view',
    camera: 'View of the picture',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Show all',
    blockedBy: (tasks: number) => `Blocked, waits for ${count(tasks, 'task', 'tasks')}`,
    holdsUp: (tasks: number) => `holds up ${count(tasks, 'task', 'tasks')}`,
    failed: (reason: string) => `The picture could not be laid out: ${reason}`,
  },
  outline: {
    title: 'Outline',
    help: 'Below each task are the tasks that it waits for. Use up and down to move, right and left to expand and collapse, Enter to open a task. F2 or E edits the title, C adds a task beside, Shift C below, Alt with right and left moves the task.',
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
    onlyBranch: 'Only this branch',
    onlyAround: 'Only its neighbours',
    around: (title: string) => `neighbours of ${quoted(title)}`,
    aroundMissing: 'the neighbours of a task that you cannot see',
    steps: 'Distance of neighbours',
    stepsAway: (steps: number) => (steps === 1 ? '1 step' : `up to ${NUMBER.format(steps)} steps`),
    branchOf: (title: string) => `branch of ${quoted(title)}`,
    scopeMissing: 'a branch that you cannot see',
    remove: (condition: string) => `Remove the condition: ${condition}`,
    clear: 'Clear the filter',
    count: (shown: number, all: number) => `${NUMBER.format(shown)} of ${count(all, 'task', 'tasks')}`,
    none: 'No task meets the filter.',
    noneReady: 'No ready task meets the filter.',
    outside: 'outside the filter',
    tooLong: 'A filter has at most 10 words and 200 characters. This one has no effect.',
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
    frees: (tasks: number) => `frees ${NUMBER.format(tasks)}`,
    more: (rows: number) => `Show ${count(rows, 'more task', 'more tasks')}`,
    empty: 'Nothing is ready.',
    emptyBlocked: 'Everything that is left waits for something else.',
    first: 'You have no tasks yet. What is your goal?',
    planFailed: (reason: string) => `The plan could not be computed: ${reason}`,
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
    none: 'Choose a task to see why it waits, and what waits for it.',
    missing: 'There is no such task, or you cannot see it.',
    missingTitle: 'No such task',
    setStatus: 'Status',
    viewOnly: 'You can see this task, but not change it.',
    why: 'Why it is blocked',
    blockedBy: (tasks: number) => `Blocked by ${count(tasks, 'task', 'tasks')}`,
    blockedHidden: 'It waits for a task that you cannot see.',
    cannotSet: (blockers: readonly string[]) =>
      blockers.length === 0
        ? 'Blocked: its status cannot change before what it waits for is completed.'
        : `Blocked: complete ${LIST.format(blockers)} first.`,
    startHere: 'Start here',
    waitsFor: (tasks: number) => `Waits for ${NUMBER.format(tasks)}`,
    holdsUp: (tasks: number) => `Holds up ${NUMBER.format(tasks)}`,
    related: 'does not block',
    andMore: (tasks: number) => `and ${NUMBER.format(tasks)} more`,
    fields: 'Fields',
    description: 'Description',
    effort: 'Effort',
    dueDate: 'Due',
    priority: 'Priority',
    assignee: 'Assigned to',
    tags: 'Tags',
    slack: 'Slack',
    slackCritical: '0, critical',
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
      `At most ${NUMBER.format(most)} tasks can be selected at once. The first ${NUMBER.format(most)} of ${NUMBER.format(tasks)} are.`,
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
    nothing: 'There is no change of this window to undo. The history has earlier changes.',
    nothingUndone: 'There is no change of this window to redo.',
    undone: (change: string | undefined) => (change === undefined ? 'The change is undone.' : `Undone: ${change}`),
    redone: (change: string | undefined) => (change === undefined ? 'The change is redone.' : `Redone: ${change}`),
    notUndone: (change: string | undefined, reason: string) =>
      `Not undone${change === undefined ? '' : ` (${change})`}: ${reason}`,
    notRedone: (change: string | undefined, reason: string) =>
      `Not redone${change === undefined ? '' : ` (${change})`}: ${reason}`,
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
      inTrash: 'its place in the trash',
      type: 'the kind of link',
      private: 'the privacy of the link',
    } as Readonly<Record<string, string>>,
    otherField: 'another field',
    refusals: {
      'conflict.already_undone': 'It is undone already.',
      'conflict.not_undone': 'It is not undone.',
      'conflict.irreversible': 'Something in it was deleted for good.',
      'conflict.expired': 'An access or a publication in it has expired.',
      'conflict.in_trash': 'Something in it is in the trash now.',
      'conflict.already_trashed': 'Something in it is in the trash already.',
      'conflict.cycle': 'A task would wait for itself.',
      'conflict.duplicate_link': 'The tasks are linked already.',
      'conflict.duplicate_reversed_link': 'The tasks are linked in the other direction.',
      not_found: 'You cannot see all of it any more.',
    } as Readonly<Record<string, string>>,
  },

  broken: {
    title: 'This view has failed',
    lead: (reason: string) => `Your tasks and the changes that wait to be sent are not affected. (${reason})`,
    again: 'Try again',
    ready: 'Show the ready tasks',
  },

  notFound: { title: 'Nothing here', lead: 'This address has no page.', back: 'To the ready tasks' },

  /** Refusals by code. Others show the message of the service. */
  refusals: {
    unauthorized: 'You are signed out.',
    rate_limited: 'Too many requests. Wait a moment, then try again.',
    unavailable: 'The service is not available. Try again in a moment.',
    'conflict.node_blocked': 'It is blocked by something that is not completed.',
    forbidden: 'You do not have permission.',
    'forbidden.read_only': 'You do not have permission.',
    'client.timeout': 'The service did not answer in time.',
    'client.disconnected': 'The service cannot be reached.',
    'client.queue_full': 'Too many changes wait to be sent.',
  } as Readonly<Record<string, string>>,
} as const;
