// The texts of the editor of links in the picture, in English.
import { en } from '../en.ts';

const { quoted } = en;

export const linkTexts = {
  port: 'Drag to a task that should wait for this one',
  /** The reader chooses the task that waits. */
  choose: (first: string) => `Which task waits for ${quoted(first)}?`,
  chooseByKeys: (first: string) =>
    `Which task waits for ${quoted(first)}? Use the arrow keys to move, Enter to link, Escape to cancel.`,
  waits: (waiting: string, first: string) => `${quoted(waiting)} will wait for ${quoted(first)}.`,
  relates: (waiting: string, first: string) =>
    `${quoted(waiting)} and ${quoted(first)} will only be related: neither waits for the other.`,
  cannot: (reason: string) => `Not possible: ${reason}`,
  newTask: (first: string) => `A new task will wait for ${quoted(first)}.`,
  firstIsGone: (title: string) => `Could not add ${quoted(title)}: the task before it is gone.`,
  nameFirst: 'Press Enter to add the new task, or Escape to discard it.',
  notAdded: (title: string) => `Could not add ${quoted(title)}.`,
  newTitle: (first: string) => `Title of the task that waits for ${quoted(first)}`,
};
