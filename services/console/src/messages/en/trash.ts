// The texts of the trash, in English.
import { en } from '../en.ts';

const { quoted, number } = en;

export const trash = {
  lead: 'The service deletes tasks in the trash for good after some time, 30 days by default.',
  loading: 'Loading the trash',
  empty: 'The trash is empty.',
  more: 'Show more',
  failed: (reason: string) => `Could not load the trash: ${reason}`,
  again: 'Try again',
  since: (moment: string) => `since ${moment}`,
  of: (owner: string) => `of ${owner}`,
  restore: 'Restore',
  restoreTask: (title: string) => `Restore: ${title}`,
  restored: (title: string, skipped: number) =>
    skipped === 0
      ? `Restored ${quoted(title)}, with its links.`
      : `Restored ${quoted(title)}. ${number(skipped)} of its links stay in the trash: they would close a cycle or duplicate another link.`,
  delete: 'Delete for good',
  deleteTask: (title: string) => `Delete for good: ${title}`,
  deleteTitle: (title: string) => `Delete ${quoted(title)} for good?`,
  deleteText: 'This deletes the task with its links in the trash, and ends its shares. It cannot be undone.',
  deleted: (title: string) => `Deleted ${quoted(title)} for good.`,
} as const;
