// The texts of importing, exporting and the first steps, in English.
import type { ImportFormat, UpdateKind } from '@taskgraph/client/transfer';
import { count, en } from '../en.ts';

const { quoted, number, list } = en;

const tasks = (amount: number) => count(amount, 'task', 'tasks');
const links = (amount: number) => count(amount, 'link', 'links');

/** Places of a loss that are shown. */
const MOST_PLACES = 3;

export const files = {
  importTitle: 'Import a file',
  importLead:
    'CSV tables, Taskgraph JSON, calendars, task lists, diagrams, and files of Vikunja, GitHub, Taskwarrior, Todoist, Trello, Microsoft Project, Task Master, Beads and others. Choose a file, or drop it anywhere on the page.',
  bounds: (megabytes: number, mostTasks: number, mostLinks: number) =>
    `A file can have up to ${number(megabytes)} MiB, ${tasks(mostTasks)} and ${links(mostLinks)}. You see a preview before anything is imported.`,
  choose: 'File',
  chooseOther: 'Choose another file',
  reading: (name: string) => `Reading ${name}`,
  format: 'Read as',
  chooseFormat: 'Choose a format',
  importFormats: {
    csv: 'CSV table',
    taskgraph: 'Taskgraph JSON',
    vikunja: 'Vikunja export',
    github: 'GitHub issues',
    taskwarrior: 'Taskwarrior export',
    todoist: 'Todoist template',
    psplib: 'PSPLIB project',
    icalendar: 'iCalendar tasks',
    trello: 'Trello board',
    msproject: 'Microsoft Project XML',
    ganttproject: 'GanttProject plan',
    'github-actions': 'GitHub Actions workflow',
    turbo: 'turbo.json',
    patterson: 'Patterson project (.rcp)',
    'task-master': 'Task Master tasks',
    beads: 'Beads issues',
    markdown: 'Markdown task list',
    'todo.txt': 'todo.txt list',
    org: 'Org outline',
    mermaid: 'Mermaid diagram',
    dot: 'DOT graph',
  } satisfies Record<ImportFormat, string>,

  notImported: (name: string) => `Could not import ${name}. Nothing was added.`,
  atLine: (line: number, reason: string) => `Line ${number(line)}: ${reason}.`,
  faultReason: (reason: string) => `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`,
  tooLarge: 'The file is too large.',
  archive:
    'The file is an archive. Unpack it first. The tasks of a Vikunja archive are in data.json, those of a Todoist backup in one CSV file for each project.',
  empty: 'The file is empty.',
  notText: 'The file is not UTF-8 text.',
  unreadable: (reason: string) => `The browser could not read the file: ${reason}`,
  unknown: (seems: string) => `The file seems to be ${seems}. If it has one of these formats, choose it.`,

  found: (name: string, amount: number, linkAmount: number) => `${name} has ${tasks(amount)} and ${links(linkAmount)}.`,
  first: 'The first tasks',
  columns: { title: 'Title', status: 'Status', waitsFor: 'Waits for' },
  waits: (titles: readonly string[], more: number) =>
    list(more > 0 ? [...titles, `${number(more)} more`] : [...titles]),
  leftOut: (kinds: number) => `${count(kinds, 'kind of data is', 'kinds of data are')} left out`,
  nothingLeftOut: 'Nothing is left out.',
  more: (kinds: number) => `and ${number(kinds)} more`,
  loss: (what: string, amount: number, places: readonly string[]) => {
    const shown = places.slice(0, MOST_PLACES);
    return `${what}: ${list(amount > shown.length ? [...shown, `${number(amount - shown.length)} more`] : shown)}`;
  },

  priority: (value: number) => `priority ${number(value)}`,
  table: 'How the table is read',
  columnsRead: (read: number, all: number) => `Columns: ${number(read)} of ${number(all)} are read`,
  noColumnName: 'A column without a name',
  notRead: 'Not read',
  usualFields: 'Undo the choice of fields',
  fields: {
    title: 'Title',
    description: 'Description',
    status: 'Status',
    completed: 'Whether it is completed',
    group: 'List that tells the status',
    due: 'Due date',
    priority: 'Priority',
    volume: 'Effort',
    assignee: 'Assigned to',
    tags: 'Tags',
    parent: 'The task that it blocks',
    children: 'Its subtasks',
    'waits-for': 'Waits for',
    blocks: 'Blocks',
    related: 'Related tasks',
    id: 'Id',
    'other-id': 'Another id',
    outline: 'Outline number',
    level: 'Outline level',
    independent: 'Whether links do not block it',
    pinned: 'Whether its place is fixed',
    collapsed: 'Whether it is collapsed',
    x: 'Place: x',
    y: 'Place: y',
    z: 'Place: z',
  },
  dates: 'Dates such as 1/2/2030',
  dateOrders: {
    table: 'As the other dates show',
    'day-first': 'The day is first',
    'month-first': 'The month is first',
  },
  strict: 'Refuse the table if a cell cannot be read',

  where: 'Where the tasks go',
  topLevel: 'At the top level: no task waits for them.',
  below: (title: string) => `${quoted(title)} waits for them.`,
  belowChosen: (title: string) => `Below ${quoted(title)}`,
  belowOther: 'Below another task…',
  toTop: 'To the top level',
  belowHelp: 'That task will wait for the imported ones.',
  cannotWait: 'you cannot make it wait',
  parentGone: 'The task that should wait for them is gone. Choose where the tasks go.',

  run: 'Import',
  compare: 'Update an earlier import…',
  acts: {
    import: (name: string) => `Importing ${name}`,
    undo: (name: string) => `Undoing the import of ${name}`,
    compare: (name: string) => `Comparing ${name} with its earlier import`,
    update: (name: string) => `Updating from ${name}`,
    'undo-update': (name: string) => `Undoing the update from ${name}`,
  },
  compared: (name: string, changes: number) =>
    changes === 0
      ? `${name} changes nothing in your graph.`
      : `An update from ${name} makes ${count(changes, 'change', 'changes')}. Nothing has changed yet.`,
  overwrite: 'Overwrite values that somebody has changed too',
  remove: 'Move tasks and links that are gone from the file to the trash',
  update: 'Update',
  updated: (name: string, changes: number) => `Updated from ${name}: ${count(changes, 'change', 'changes')}.`,
  undoUpdate: 'Undo update',
  updateUndone: (name: string) => `Undid the update from ${name}.`,
  updateKinds: {
    created: 'New tasks',
    restored: 'Tasks that an earlier update moved to the trash, and that the file has again',
    linked: 'New links',
    changed: 'Changed tasks',
    link_changed: 'Changed links',
    overwritten: 'Overwritten values',
    trashed: 'Tasks to the trash',
    unlinked: 'Links to the trash',
    conflict: 'Changed in the file and by somebody, not overwritten',
    gone_task: 'Tasks that are gone from the file and stay',
    gone_link: 'Links that are gone from the file and stay',
    in_trash: 'Tasks in the trash, which stay there',
    removed_link: 'Links that somebody removed, which are not added again',
    unreachable: 'Tasks that you no longer see, or that were deleted',
    ambiguous: 'Tasks without an id that have the same title, which are left out',
    blocked: 'Statuses of blocked tasks, which are not set',
    refused: 'Changes that the service refused',
  } satisfies Record<UpdateKind, string>,
  progress: (done: number, parts: number) =>
    parts === 0 ? 'Starting' : `${number(done)} of ${count(parts, 'part', 'parts')}`,
  stop: 'Stop',
  stopping: 'Stopping after this part',

  imported: (name: string, amount: number, linkAmount: number) =>
    `Imported ${name}: ${tasks(amount)} and ${links(linkAmount)}.`,
  importedBefore: (name: string) =>
    `You have already imported ${name}. All of it is in your graph, and nothing was added twice.`,
  importCopy: 'Import again as a copy',
  undoImport: 'Undo import',
  undone: (name: string) => `Undid the import of ${name}. Its tasks are in the trash.`,
  again: 'Continue',
  tryAgain: 'Try again',
  acceptMismatch: 'Update all the same',
  importFailed: (name: string, stored: number, parts: number) =>
    stored === 0
      ? `Could not import ${name}.`
      : `Imported only a part of ${name}: ${number(stored)} of ${count(parts, 'part', 'parts')}.`,
  actFailed: {
    undo: (name: string) => `Could not undo the import of ${name}.`,
    compare: (name: string) => `Could not compare ${name} with an earlier import.`,
    update: (name: string) => `Could not complete the update from ${name}.`,
    'undo-update': (name: string) => `Could not undo the update from ${name}.`,
  },
  /** With the code of the refusal, and the tasks that it concerns. */
  failure: (reason: string, code: string, place: readonly string[]) =>
    `${reason}${/[.!?]$/.test(reason) ? '' : '.'} (${code}${place.length === 0 ? '' : `, at ${list(place.map((title) => quoted(title)))}`})`,
  failures: {
    'client.closed': 'You stopped it.',
    'client.other_user': 'The browser is signed in as another user',
    'import.not_there': 'None of it is in your graph',
    'import.incomplete': 'An earlier import or update of this file was interrupted: complete it first',
    'import.other_settings': 'The earlier import of this file name had another format or other fields of columns',
    'import.other_file': 'The file has hardly any of the tasks of the earlier import: it may be another file',
    'import.many_removals':
      'The update would move many of the earlier tasks to the trash: the file may be a part of it',
    'import.no_source': 'You have not imported a file of this name and format yet',
  } as Readonly<Record<string, string>>,
  cancel: 'Cancel',
  close: 'Close',

  exportTitle: 'Export',
  exportLead: (amount: number, linkAmount: number) =>
    `What the views show now: ${tasks(amount)} and ${links(linkAmount)} between them.`,
  exportEmpty: 'The views show no tasks, so there is nothing to export.',
  exportFormat: 'Format',
  formats: {
    csv: { name: 'CSV', text: 'A table for spreadsheets. Import reads it again.' },
    json: { name: 'JSON', text: 'All fields of tasks and links. Import reads it again, without loss.' },
    ics: { name: 'iCalendar', text: 'To-dos with due dates for calendars.' },
    svg: { name: 'SVG', text: 'The picture, with searchable text.' },
    png: { name: 'PNG', text: 'The picture as an image in pixels.' },
  },
  pictureOnly: 'Open the graph to export it as SVG or PNG.',
  save: 'Export',
  saving: 'Writing the file',
  saved: (name: string, amount: number) => `Exported ${tasks(amount)} as ${name}.`,
  notSaved: (reason: string) => `Could not export: ${reason}`,
  pictureTooLarge: 'the picture is too large for PNG. Export it as SVG, or show a smaller branch',
  noPicture: 'the picture is not ready yet',
  /** The name of a file without a scope. */
  allTasks: 'tasks',
  exportLosses: (kinds: number) => `The format cannot store ${count(kinds, 'kind', 'kinds')} of data`,

  firstSteps: 'First steps',
  goal: 'Name your goal',
  goalHelp: 'Something that you want to finish, such as “Open the shop”.',
  saveGoal: 'Save the goal',
  before: 'What must be done first?',
  beforeHelp: (goal: string) => `${quoted(goal)} waits for each of these tasks. Add one at a time.`,
  saveStep: 'Save the step',
  steps: 'Steps so far',
  finish: 'Finish',
  showGraph: 'Show the graph',
  dropHere: 'Do you already have a plan? Drop its file on this page, or choose it.',
  importFile: 'Import a file…',
} as const;
