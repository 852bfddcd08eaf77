// The texts of the tray: the changes that wait, and those that were refused; and of the copy on the
// device that has them. In English.
import { count, en } from '../en.ts';

const { quoted } = en;

export const tray = {
  title: 'Changes',
  waiting: 'Waiting to be sent',
  refused: 'Refused',
  refusedLead: 'The service did not accept these changes. Your tasks do not include them.',
  none: 'No changes are waiting or refused.',
  copy: 'Copy',
  copyOf: (change: string) => `Copy: ${change}`,
  again: 'Try again',
  againOf: (change: string) => `Try again: ${change}`,
  dismissOf: (change: string) => `Dismiss: ${change}`,
  copied: 'Copied.',
  notCopied: 'Could not copy it: the browser did not allow it.',
  present: (value: string) => `Now: ${value}`,
  yours: (field: string, value: string) => `You wrote for ${field}: ${value}`,
  nothing: 'nothing',

  added: (title: string) => `New task ${quoted(title)}`,
  /** The other texts take a title as this gives it. */
  task: (title: string | undefined) => (title === undefined ? 'a task that you can no longer see' : quoted(title)),
  changed: (title: string, fields: readonly string[]) => `Changes ${en.list(fields)} of ${title}`,
  status: (title: string, status: string) => `Sets ${title} to ${status}`,
  trashed: (title: string) => `Moves ${title} to the trash`,
  linked: (source: string, target: string) => `${target} waits for ${source}`,
  linkChanged: 'Changes a link',
  linkTrashed: 'Removes a link',
  undone: 'Undoes a change',
  redone: 'Redoes a change',
  shared: (title: string) => `Changes the access to ${title}`,
  several: (changes: readonly string[]) => `${changes.join('; ')}`,
  other: 'Another change',

  copyFailed: (reason: string) =>
    `Could not store a copy of your tasks on this device. Keep this page open until your changes are sent. (${reason})`,
  copyStays: (reason: string) => `Could not delete the copy of your tasks on this device: ${reason}`,

  signOutTitle: 'Sign out and delete changes?',
  signOutUnsent: (changes: number) => `${count(changes, 'change is', 'changes are')} not sent yet.`,
  signOutRefused: (changes: number) => `${count(changes, 'refused change is', 'refused changes are')} in the tray.`,
  signOutUnread: (reason: string) =>
    `Could not read whether other tabs have stored changes that are not sent yet. (${reason})`,
  signOutDeletes: 'Signing out deletes them.',
  signOutConfirm: 'Sign out and delete',

  refusals: {
    version_conflict: 'Someone else has changed it.',
    not_found: 'It is gone, or you can no longer see it.',
    'client.depends_on_refused': 'It depends on a new task that was refused.',
    'client.outcome_unknown': 'It was sent more than a day ago, and may have taken effect. Check before you try again.',
    'conflict.cycle': 'A task would wait for itself.',
    'conflict.in_trash': 'The task is in the trash.',
    'conflict.duplicate_link': 'The tasks are already linked.',
  } as Readonly<Record<string, string>>,
} as const;
