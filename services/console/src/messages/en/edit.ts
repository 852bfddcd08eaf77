// The texts of the editable panel of a task, in English.
import { count, en } from '../en.ts';
import { isolated } from '../isolated.ts';

const { quoted, number } = en;

export const edit = {
  sections: 'Sections of the panel',
  links: 'Links',
  onlyBranch: 'Only this branch',
  onlyNeighbours: 'Only its neighbours',
  changeTitle: 'Change the title',
  title: 'Title',
  fields: {
    title: 'the title',
    description: 'the description',
    volume: 'the effort',
    dueDate: 'the due date',
    priority: 'the priority',
    assignee: 'the people',
    tags: 'the tags',
  },
  renamed: (before: string, after: string) =>
    before.trim() === '' ? `Named it ${quoted(after)}.` : `Renamed ${quoted(before)} to ${quoted(after)}.`,
  saved: (field: string, title: string) => `Changed ${field} of ${quoted(title)}.`,
  notSaved: (field: string, title: string, reason: string) => `Could not save ${field} of ${quoted(title)}: ${reason}`,
  itemAdded: {
    tags: (tag: string, title: string) => `Added the tag ${quoted(tag)} to ${quoted(title)}.`,
    assignee: (name: string, title: string) => `Assigned ${quoted(title)} to ${name}.`,
  },
  itemRemoved: {
    tags: (tag: string, title: string) => `Removed the tag ${quoted(tag)} from ${quoted(title)}.`,
    assignee: (name: string, title: string) => `${name} is no longer assigned to ${quoted(title)}.`,
  },
  /** Another user changed the field while the reader types. */
  theirs: (actor: string | undefined, value: string) =>
    `${actor ?? 'Someone else'} ${value === '' ? 'cleared this' : `changed this to ${quoted(value)}`}.`,
  useTheirs: 'Use theirs',
  saveMine: 'Save mine',
  unsaved: (field: string, title: string, text: string | undefined) =>
    `Could not save ${field} of ${quoted(title)}: someone else has changed it. ${
      text === undefined ? 'Your text is kept in its panel.' : `You wrote: ${quoted(text)}`
    }`,
  lost: (field: string, title: string, text: string) =>
    `Could not save ${field} of ${quoted(title)}: you can no longer see the task. You wrote: ${quoted(text)}`,
  /** After the message of a refusal, if no field shows the text. */
  written: (field: string, title: string, text: string) =>
    `You wrote for ${field} of ${quoted(title)}: ${quoted(text)}`,
  badNumber: 'Enter a whole number from 0 to 1,000,000.',
  badDay: 'Enter a complete date, or none.',
  emptyTitle: 'A task needs a title.',
  clearDay: 'No date',
  dueAt: (moment: string) => `Due ${moment}. If you choose a day, the task is due at its end.`,
  saveDescription: 'Save',
  discard: 'Discard',
  descriptionHelp: 'Not saved yet. Press Ctrl+Enter to save.',
  remove: (item: string) => `Remove ${item}`,
  addTag: 'Add a tag',
  addPerson: 'Add a person',
  assignMe: 'Assign to me',
  full: (most: number) => `At most ${number(most)}.`,

  before: 'Add a task before',
  after: 'Add a task after',
  beforeHelp: (title: string) => `${quoted(title)} will wait for it.`,
  afterHelp: (title: string) => `It will wait for ${quoted(title)}.`,
  searchLabel: 'A new title, or a task to find',
  findLabel: 'A task to find',
  options: 'Tasks',
  newTask: (title: string) => `New task ${quoted(title)}`,
  linkedAlready: 'is already linked',
  pairLinked: 'these tasks are already linked',
  cycle: (titles: readonly string[]) => `would wait for itself: ${titles.map(isolated).join(' → ')}`,
  notLinked: (reason: string) => `Could not link: ${reason}`,
  notAdded: (title: string) => `Could not add ${quoted(title)}.`,
  hiddenTask: 'a task that you cannot see',
  waits: (waiting: string, first: string) => `${quoted(waiting)} now waits for ${quoted(first)}.`,
  relates: (waiting: string, first: string) => `${quoted(first)} and ${quoted(waiting)} are related. Neither waits.`,
  onlyRelated: (waiting: string, first: string) =>
    `${quoted(first)} and ${quoted(waiting)} are only related: you cannot make ${quoted(waiting)} wait, or links do not block it.`,
  noLongerWaits: (waiting: string, first: string) => `${quoted(waiting)} no longer waits for ${quoted(first)}.`,
  noLongerRelated: (waiting: string, first: string) => `${quoted(first)} and ${quoted(waiting)} are no longer related.`,
  removeLink: 'Remove the link',
  removeLinkTo: (title: string) => `Remove the link: ${title}`,
  makePrimary: 'Make it block',
  makePrimaryTo: (title: string) => `Make it block: ${title}`,
  makeSecondary: 'Only relate',
  makeSecondaryTo: (title: string) => `Only relate: ${title}`,

  moreActs: 'More',
  moreActsOn: (title: string) => `More: ${title}`,
  reverse: 'Reverse',
  reverseTo: (title: string) => `Reverse: ${title}`,
  makePrivate: 'Show only to me',
  makePrivateTo: (title: string) => `Show only to me: ${title}`,
  makeVisible: 'Show to others',
  makeVisibleTo: (title: string) => `Show to others: ${title}`,
  private: 'private',
  madePrivate: (waiting: string, first: string) =>
    `Only you can now see the link from ${quoted(first)} to ${quoted(waiting)}.`,
  madeVisible: (waiting: string, first: string) =>
    `Others can now see the link from ${quoted(first)} to ${quoted(waiting)}.`,

  trash: 'Move to trash',
  trashEffect: (links: number, waiting: number) => {
    if (links === 0) return 'It can be restored from the trash.';
    const move = links === 1 ? 'Its link moves to the trash too.' : `Its ${number(links)} links move to the trash too.`;
    const wait = waiting === 0 ? '' : ` ${count(waiting, 'task no longer waits', 'tasks no longer wait')} for it.`;
    return `${move}${wait} Restoring the task restores its ${links === 1 ? 'link' : 'links'}.`;
  },
  notTrashed: (title: string, reason: string) => `Could not move ${quoted(title)} to the trash: ${reason}`,
  trashed: (title: string, links: number) =>
    `Moved ${quoted(title)} to the trash${links === 0 ? '' : `, with ${count(links, 'link', 'links')}`}.`,
} as const;
