// The texts about access: who sees a task, sharing and publishing.
import { count, quoted } from '../en.ts';

/** `isAtLeast`: the service named as many as it would in one page. */
function tasks(number: number, isAtLeast: boolean): string {
  return isAtLeast ? `more than ${count(number, 'task', 'tasks')}` : count(number, 'task', 'tasks');
}

export const access = {
  loading: 'Reading who has access',
  reload: 'Try again',
  levels: ['Owner', 'Admin', 'Editor', 'Viewer'],
  levelHelp: ['', 'reads, changes and shares', 'reads and changes', 'reads'],

  people: 'Who has access',
  yours: 'Why you see it',
  you: 'You',
  everyone: 'Everyone with the public link',
  because: {
    owner: 'owns it',
    here: 'shared here',
    branch: 'through the branch',
    tree: 'through your own task',
    publication: 'through the publication of',
    hiddenRoot: 'a task that you do not see',
  },
  until: (moment: string) => `until ${moment}`,
  incomplete: 'There are more ways than the service lists.',
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
  badDay: 'The end must be a day of a year up to 9999.',
  dueHelp: 'Without a day, it does not end.',
  preview: 'Check what this does',
  change: 'Change',
  changeOf: (email: string) => `Change: ${email}`,
  end: 'End access',
  endOf: (email: string) => `End access: ${email}`,
  leave: 'Leave',
  leaveOf: (title: string) => `Leave ${quoted(title)}`,
  proposal: 'What this does',

  wouldSee: (email: string, number: number, isAtLeast: boolean) => `${email} would see ${tasks(number, isAtLeast)}.`,
  seesAlready: (email: string) => `${email} sees these tasks already.`,
  wouldBe: (email: string, level: string) => `${email} would be ${level.toLowerCase()} on them.`,
  wouldLose: (email: string, number: number, isAtLeast: boolean) =>
    `${email} would lose this access to ${tasks(number, isAtLeast)}.`,
  stillSees: (email: string) => `${email} would still see them through other access.`,
  youLose: (number: number, isAtLeast: boolean) =>
    `You would lose this access to ${tasks(number, isAtLeast)}. Only somebody who may share them can give it back.`,
  confirmShare: 'Share now',
  confirmChange: 'Change now',
  confirmEnd: 'End access now',
  confirmLeave: 'Leave now',
  shared: (email: string) => `Shared with ${email}.`,
  changed: (email: string) => `Changed the access of ${email}.`,
  ended: (email: string) => `Ended the access of ${email}.`,
  left: (title: string) => `You left ${quoted(title)}.`,

  publish: 'Public link',
  makeLink: 'Make a public link',
  publishLead: 'Everyone who has the link can read, without an account. Names of people are left out.',
  confirmPublish: 'Publish now',
  wouldPublish: (number: number, isAtLeast: boolean) =>
    `Everyone with the link could read ${tasks(number, isAtLeast)}, their titles, descriptions, status, effort and dates.`,
  published: (title: string) => `${quoted(title)} has a public link now.`,
  link: 'Address of the public page',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'The browser did not copy it. Select the text and copy it yourself.',
  publicBranch: 'It shows this task and everything below it.',
  publicNode: 'It shows this task only.',
  noEnd: 'It has no end.',
  ends: (moment: string) => `It ends on ${moment}.`,
  changeEnd: 'Change the end',
  saveEnd: 'Save',
  endChanged: 'Changed the end of the public link.',
  unpublish: 'End the public link',
  wouldUnpublish: 'Nobody could read by this link any more. A new link has another address.',
  confirmUnpublish: 'End it now',
  unpublished: 'The public link has ended.',

  refusals: {
    forbidden:
      'Your level does not allow this. A whole branch is shared by its owner, or by an admin of a whole branch.',
    not_found: 'There is no such access any more.',
    version_conflict: 'Somebody changed this access meanwhile. Check again what your change does.',
    invalid_due: 'The end must be in the future.',
    'bad_request.invalid_email': 'This is not an e-mail address.',
    'bad_request.owner_grant': 'This is the owner, who has full access.',
    'conflict.in_trash': 'The task is in the trash. Restore it first.',
    'conflict.too_many_grants':
      'This e-mail has as many shares as one owner may give. Share a branch in place of single tasks.',
    'conflict.too_many_feeds': 'A task would be in too many shared branches. Share a branch that contains the others.',
    'conflict.already_public': 'It has a public link already.',
    'conflict.not_public': 'It has no public link any more.',
  } as Readonly<Record<string, string>>,
} as const;
