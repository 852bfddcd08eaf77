// The texts about access: who sees a task, sharing and publishing.
import { count, quoted } from '../en.ts';

/** `isAtLeast`: the service named as many as it would in one page. */
function tasks(number: number, isAtLeast: boolean): string {
  return isAtLeast ? `more than ${count(number, 'task', 'tasks')}` : count(number, 'task', 'tasks');
}

export const access = {
  loading: 'Loading access',
  reload: 'Try again',
  levels: ['Owner', 'Admin', 'Editor', 'Viewer'],
  levelHelp: ['', 'reads, changes and shares', 'reads and changes', 'reads'],

  people: 'Who has access',
  yours: 'Why you see it',
  you: 'You',
  everyone: 'Anyone with the public link',
  because: {
    owner: 'owns it',
    here: 'shared here',
    branch: 'through the branch',
    tree: 'through your own task',
    publication: 'through the publication of',
    hiddenRoot: 'a task that you cannot see',
  },
  until: (moment: string) => `until ${moment}`,
  incomplete: 'The list is incomplete.',
  wholeBranch: 'with everything below',
  nodeOnly: 'this task only',
  more: 'Show more people',

  share: 'Share',
  email: 'E-mail',
  level: 'Level',
  scope: 'What they see',
  scopeBranch: 'This task and everything below it',
  scopeNode: 'This task only',
  due: 'Ends after',
  badDay: 'Enter a day up to the year 9999.',
  dueHelp: 'Leave this empty for access without an end.',
  preview: 'Check what this does',
  change: 'Change',
  changeOf: (email: string) => `Change: ${email}`,
  end: 'End access',
  endOf: (email: string) => `End access: ${email}`,
  leave: 'Leave',
  leaveOf: (title: string) => `Leave ${quoted(title)}`,
  proposal: 'What this does',

  wouldSee: (email: string, number: number, isAtLeast: boolean) => `${email} would see ${tasks(number, isAtLeast)}.`,
  seesAlready: (email: string) => `${email} can already see these tasks.`,
  wouldBe: (email: string, level: string) => `${email} would have ${level.toLowerCase()} access to them.`,
  wouldLose: (email: string, number: number, isAtLeast: boolean) =>
    `${email} would lose this access to ${tasks(number, isAtLeast)}.`,
  stillSees: (email: string) => `${email} would still see them through other access.`,
  youLose: (number: number, isAtLeast: boolean) =>
    `You would lose this access to ${tasks(number, isAtLeast)}. Only someone who can share them can give it back.`,
  confirmShare: 'Share now',
  confirmChange: 'Change now',
  confirmEnd: 'End access now',
  confirmLeave: 'Leave now',
  shared: (email: string) => `Shared with ${email}.`,
  changed: (email: string) => `Changed the access of ${email}.`,
  ended: (email: string) => `Ended the access of ${email}.`,
  left: (title: string) => `You left ${quoted(title)}.`,

  publish: 'Public link',
  makeLink: 'Create a public link',
  publishLead: 'Anyone with the link can read, without an account. Names of people are left out.',
  confirmPublish: 'Publish now',
  wouldPublish: (number: number, isAtLeast: boolean) =>
    `Anyone with the link could read ${tasks(number, isAtLeast)}: titles, descriptions, status, effort and dates.`,
  published: (title: string) => `${quoted(title)} now has a public link.`,
  link: 'Address of the public page',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'Could not copy it. Select the text and copy it yourself.',
  publicBranch: 'It shows this task and everything below it.',
  publicNode: 'It shows this task only.',
  noEnd: 'It does not end.',
  ends: (moment: string) => `It ends on ${moment}.`,
  changeEnd: 'Change the end',
  saveEnd: 'Save',
  endChanged: 'Changed the end of the public link.',
  unpublish: 'End the public link',
  wouldUnpublish: 'The link would stop working. A new link would have another address.',
  confirmUnpublish: 'End it now',
  unpublished: 'The public link has ended.',

  refusals: {
    forbidden: 'Your level does not allow this. Only its owner, or an admin of a whole branch, can share a branch.',
    not_found: 'This access no longer exists.',
    version_conflict: 'Someone else has changed this access. Check again what your change does.',
    invalid_due: 'The end must be in the future.',
    'bad_request.invalid_email': 'This is not an e-mail address.',
    'bad_request.owner_grant': 'This is the owner, who has full access.',
    'conflict.in_trash': 'The task is in the trash. Restore it first.',
    'conflict.too_many_grants': 'Too many tasks are shared with this e-mail. Share a branch instead of single tasks.',
    'conflict.too_many_feeds': 'A task would be in too many shared branches. Share a branch that contains the others.',
    'conflict.already_public': 'It already has a public link.',
    'conflict.not_public': 'It no longer has a public link.',
  } as Readonly<Record<string, string>>,
} as const;
