// The texts of the history, in English.
import { en } from '../en.ts';
import { dueWords } from '../messages.ts';

const { quoted, number, list } = en;

export const changes = {
  lead: 'Who changed what, newest first. Each change can be undone, unless a later one depends on it.',
  whose: 'Changes by',
  everyone: 'Everyone',
  mine: 'Me',
  listLabel: 'Changes',
  loading: 'Loading the history',
  empty: 'No changes yet.',
  more: 'Show earlier changes',
  newer: (batches: number) => `Show ${number(batches)} newer ${batches === 1 ? 'change' : 'changes'}`,
  perhapsNewer: 'Load newer changes',
  failed: (reason: string) => `Could not load the history: ${reason}`,
  again: 'Try again',
  isUndone: 'Undone',
  undoOf: (change: string) => `Undid: ${change}`,
  redoOf: (change: string) => `Redid: ${change}`,
  undoThis: (change: string) => `Undo: ${change}`,
  redoThis: (change: string) => `Redo: ${change}`,
  andMore: (sentences: number) => `and ${number(sentences)} more`,
  cut: 'The rest is too large to show.',
  system: 'The service',

  task: (title: string | undefined) =>
    title === undefined ? 'a task that you cannot see' : quoted(title.trim() === '' ? en.untitled : title),
  number,
  list,
  quoted,
  due: dueWords,
  nothing: 'nothing',
  yes: 'yes',
  no: 'no',
  added: (title: string) => `Added ${title}.`,
  changed: (title: string) => `Changed ${title}.`,
  renamed: (before: string, after: string) => `Renamed ${before} to ${after}.`,
  moved: (title: string) => `Moved ${title} in the graph.`,
  collapsed: (title: string) => `Collapsed the branch of ${title} in the graph.`,
  expanded: (title: string) => `Expanded the branch of ${title} in the graph.`,
  updated: (title: string, fields: readonly string[]) => `Changed ${title}: ${list(fields)}.`,
  fromTo: (field: string, before: string, after: string) => `${field} from ${before} to ${after}`,
  /** By status. */
  status: [
    (title: string) => `${title} became available.`,
    (title: string) => `Started ${title}.`,
    (title: string) => `${title} became blocked.`,
    (title: string) => `Completed ${title}.`,
  ],
  /** The fields of a task by their name in patches. The others only place it in pictures. */
  fields: {
    Title: 'title',
    Description: 'description',
    DueDate: 'due date',
    Tags: 'tags',
    Priority: 'priority',
    Independent: 'independent of links',
    Volume: 'effort',
    Assignee: 'people',
  } as Readonly<Record<string, string>>,
  trashed: (title: string) => `Moved ${title} to the trash.`,
  restored: (title: string) => `Restored ${title} from the trash.`,
  deleted: (title: string) => `Deleted ${title} for good.`,
  published: (title: string) => `Published ${title}.`,
  unpublished: (title: string) => `Ended the publication of ${title}.`,
  publicationChanged: (title: string) => `Changed the publication of ${title}.`,
  /** By level of access. */
  levels: ['owner', 'admin', 'editor', 'viewer'] as readonly string[],
  shared: (title: string, email: string, level: string | undefined) =>
    `Shared ${title} with ${email}${level === undefined ? '' : ` as ${level}`}.`,
  unshared: (title: string, email: string) => `Ended the access of ${email} to ${title}.`,
  linked: (waiting: string, first: string) => `Made ${waiting} wait for ${first}.`,
  related: (waiting: string, first: string) => `Related ${waiting} and ${first}.`,
  unlinked: (waiting: string, first: string) => `Removed the link from ${first} to ${waiting}.`,
  madeSecondary: (waiting: string, first: string) => `Made the link from ${first} to ${waiting} non-blocking.`,
  madePrivate: (waiting: string, first: string) => `Made the link from ${first} to ${waiting} private.`,
  madePublic: (waiting: string, first: string) => `Made the link from ${first} to ${waiting} visible to others.`,
  linkChanged: (waiting: string, first: string) => `Changed the link from ${first} to ${waiting}.`,
  other: 'Made another change.',
} as const;
