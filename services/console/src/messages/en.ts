// The texts of the console in English. Another language is another object of the same type.

function count(number: number, one: string, other: string): string {
  return `${NUMBER.format(number)} ${number === 1 ? one : other}`;
}

const NUMBER = new Intl.NumberFormat('en');
const LIST = new Intl.ListFormat('en', { type: 'conjunction' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export const en = {
  language: 'en',
  direction: 'ltr',
  brand: 'Taskgraph',
  /** The title of the window. */
  title: (page: string) => `${page} – Taskgraph`,
  skipToContent: 'Skip to the content',
  navigation: 'Views',
  number: (value: number) => NUMBER.format(value),
  day: (day: string) => DAY.format(new Date(`${day}T00:00:00Z`)),
  moment: (instant: string) => MOMENT.format(new Date(instant)),
  list: (items: readonly string[]) => LIST.format(items),
  quoted: (title: string) => `“${title}”`,
  untitled: 'Untitled',
  close: 'Close',
  dismiss: 'Dismiss',

  status: ['Available', 'In progress', 'Blocked', 'Completed'],
  connection: {
    live: 'Live',
    'catching-up': 'Catching up',
    offline: 'Offline. Your changes wait here.',
    'signed-out': 'Signed out',
  },
  pending: (changes: number) => count(changes, 'change is on its way', 'changes are on their way'),
  counts: (numbers: readonly number[]) =>
    ['available', 'in progress', 'blocked', 'completed'].map(
      (word, place) => `${NUMBER.format(numbers[place] ?? 0)} ${word}`,
    ),
  tasksByStatus: 'Tasks by status',

  opening: 'Opening your tasks',
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    submitting: 'Signing in',
    hasEnded: 'You are signed out.',
    register: 'Create an account',
    forgot: 'I forgot my password',
    provider: (name: string) => `Sign in with ${name}`,
  },
  register: {
    title: 'Create an account',
    lead: 'We mail you a link. There you choose a password.',
    email: 'E-mail',
    username: 'Name',
    submit: 'Mail me the link',
    sent: 'Look into your mail: the link is valid for 24 hours.',
    off: 'This service has no registration. Ask its operator for an account.',
  },
  forgot: {
    title: 'Set a new password',
    lead: 'If there is an account with this address, we mail it a link.',
    email: 'E-mail',
    submit: 'Mail me the link',
    sent: 'Look into your mail: the link is valid for an hour.',
    off: 'This service sends no mail. Ask its operator for a new password.',
  },
  backToSignIn: 'Back to sign in',
  signOut: 'Sign out',
  signedInAs: (name: string) => `Signed in as ${name}`,

  graph: {
    title: 'Graph',
    help: 'A picture of your tasks: what must be done first is on the left. Arrow keys walk from card to card, plus and minus zoom, zero shows everything. The panel of a task lists its neighbours as text.',
    cards: 'Tasks in view',
    camera: 'View of the picture',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Show all',
    blockedBy: (tasks: number) => `Blocked, waits for ${count(tasks, 'task', 'tasks')}`,
    holdsUp: (tasks: number) => `holds up ${count(tasks, 'task', 'tasks')}`,
    failed: (reason: string) => `The picture could not be laid out: ${reason}`,
  },
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
    noPlan: 'There is no plan: the graph has more than 20,000 tasks, or its links form a cycle for the moment.',
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
  },

  notices: 'Messages',
  completed: (title: string) => `Completed “${title}”.`,
  started: (title: string) => `Started “${title}”.`,
  reopened: (title: string) => `“${title}” is available again.`,
  added: (title: string) => `Added “${title}”.`,
  nowAvailable: (titles: readonly string[]) => `Now available: ${LIST.format(titles)}.`,

  notFound: { title: 'Nothing here', lead: 'This address has no page.', back: 'To the ready tasks' },

  /** Refusals by code. Others show the message of the service. */
  refusals: {
    unauthorized: 'The e-mail or the password is wrong.',
    rate_limited: 'Too many attempts. Wait a moment, then try again.',
    unavailable: 'The service is not available. Try again in a moment.',
    'conflict.node_blocked': 'It is blocked by something that is not completed.',
    forbidden: 'You may not change this.',
    'forbidden.read_only': 'You may not change this.',
    'client.timeout': 'The service did not answer in time.',
    'client.disconnected': 'The service cannot be reached.',
    'client.queue_full': 'Too many changes wait to be sent.',
  } as Readonly<Record<string, string>>,
} as const;
