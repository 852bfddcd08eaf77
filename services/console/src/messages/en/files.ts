// The texts of importing, exporting and the first steps, in English.
import type { ImportFormat } from '@taskgraph/client/transfer';
import { count, en } from '../en.ts';

const { quoted, number, list } = en;

const tasks = (amount: number) => count(amount, 'task', 'tasks');
const links = (amount: number) => count(amount, 'link', 'links');

/** Places of a loss that are shown. */
const MOST_PLACES = 3;

export const files = {
  importTitle: 'Import a file',
  importLead:
    'Tables in CSV, the JSON of Taskgraph, and files of Vikunja, GitHub, Taskwarrior, Todoist and PSPLIB. Choose one, or drop it anywhere on the page.',
  bounds: (megabytes: number, mostTasks: number, mostLinks: number) =>
    `A file has at most ${number(megabytes)} MiB, ${tasks(mostTasks)} and ${links(mostLinks)}. Nothing is made before you have seen what it has.`,
  choose: 'File',
  chooseOther: 'Choose another file',
  reading: (name: string) => `Reading ${name}`,
  format: 'Read it as',
  chooseFormat: 'Choose a format',
  importFormats: {
    csv: 'Table in CSV',
    taskgraph: 'JSON of Taskgraph',
    vikunja: 'Export of Vikunja',
    github: 'Issues of GitHub',
    taskwarrior: 'Export of Taskwarrior',
    todoist: 'Template of Todoist',
    psplib: 'Plan of PSPLIB',
  } satisfies Record<ImportFormat, string>,

  notImported: (name: string) => `${name} cannot be imported, and nothing was made.`,
  atLine: (line: number, reason: string) => `Line ${number(line)}: ${reason}.`,
  faultReason: (reason: string) => `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`,
  tooLarge: 'It is too large.',
  archive: 'It is an archive. Unpack it first; in one of Vikunja, the tasks are in data.json.',
  empty: 'It is empty.',
  notText: 'It is not text in UTF-8.',
  unreadable: (reason: string) => `The browser cannot read it: ${reason}`,
  unknown: (seems: string) => `It seems to be ${seems}. If it is one of these formats, choose it.`,

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

  where: 'Where the tasks go',
  topLevel: 'To the top level: nothing waits for them.',
  below: (title: string) => `${quoted(title)} waits for them.`,
  belowChosen: (title: string) => `Below ${quoted(title)}`,
  belowOther: 'Below another task…',
  toTop: 'To the top level',
  belowHelp: 'That task will wait for the imported ones.',
  cannotWait: 'you cannot make it wait',
  parentGone: 'The task below which they should go is gone. Choose where they go.',

  run: 'Import',
  running: (name: string) => `Importing ${name}`,
  undoing: (name: string) => `Taking back ${name}`,
  progress: (done: number, parts: number) =>
    parts === 0 ? 'Beginning' : `${number(done)} of ${count(parts, 'part', 'parts')}`,
  stop: 'Stop',
  stopping: 'Stops after this part',

  imported: (name: string, amount: number, linkAmount: number) =>
    `Imported ${name}: ${tasks(amount)} and ${links(linkAmount)}.`,
  importedBefore: (name: string) =>
    `All of ${name} is in your graph. You had imported it before, so nothing was made twice.`,
  importCopy: 'Import it once more, as a copy',
  takeBack: 'Take back',
  takenBack: (name: string) => `Took back the import of ${name}. Its tasks are in the trash.`,
  again: 'Continue',
  tryAgain: 'Try again',
  importFailed: (name: string, stored: number, parts: number) =>
    stored === 0
      ? `${name} was not imported.`
      : `${name} is imported in part: ${number(stored)} of ${count(parts, 'part', 'parts')}.`,
  undoFailed: (name: string) => `The import of ${name} could not be taken back.`,
  /** With the code of the refusal, and the tasks that it concerns. */
  failure: (reason: string, code: string, place: readonly string[]) =>
    `${reason}${/[.!?]$/.test(reason) ? '' : '.'} (${code}${place.length === 0 ? '' : `, at ${list(place.map((title) => quoted(title)))}`})`,
  failures: {
    'client.closed': 'You stopped it.',
    'client.other_user': 'The browser is signed in as somebody else',
    'import.not_there': 'Nothing of it is in your graph',
  } as Readonly<Record<string, string>>,
  cancel: 'Cancel',
  close: 'Close',

  exportTitle: 'Export',
  exportLead: (amount: number, linkAmount: number) =>
    `What the views show now: ${tasks(amount)} and ${links(linkAmount)} between them.`,
  exportEmpty: 'The views show no task, so there is nothing to export.',
  exportFormat: 'Format',
  formats: {
    csv: { name: 'CSV', text: 'A table for spreadsheets. Import reads it again.' },
    json: { name: 'JSON', text: 'All fields of tasks and links. Import reads it again, without loss.' },
    ics: { name: 'iCalendar', text: 'To-dos with due dates for calendars.' },
    svg: { name: 'SVG', text: 'The picture, with texts that can be searched.' },
    png: { name: 'PNG', text: 'The picture in pixels.' },
  },
  pictureOnly: 'SVG and PNG are offered while the graph shows.',
  save: 'Export',
  saving: 'Writing the file',
  saved: (name: string, amount: number) => `Exported ${tasks(amount)} as ${name}.`,
  notSaved: (reason: string) => `Nothing was exported: ${reason}`,
  pictureTooLarge: 'the picture is too large for pixels. Export it as SVG, or show a smaller branch',
  noPicture: 'the picture is not ready yet',
  /** The name of a file without a scope. */
  allTasks: 'tasks',
  exportLosses: (kinds: number) => `The format cannot hold everything: ${count(kinds, 'kind', 'kinds')} of data`,

  firstSteps: 'First steps',
  goal: 'Name your goal',
  goalHelp: 'Something that you want to finish, such as “Open the shop”.',
  saveGoal: 'Save the goal',
  before: 'What must be done before?',
  beforeHelp: (goal: string) => `${quoted(goal)} waits for each of them. Write one at a time.`,
  saveStep: 'Save the step',
  steps: 'Steps so far',
  finish: 'Finish',
  showGraph: 'Show the graph',
  dropHere: 'Do you have a plan already? Drop its file on this page, or choose it.',
  importFile: 'Import a file…',
} as const;
