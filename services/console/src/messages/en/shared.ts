// The texts of the view of shared tasks.
import { count, en, quoted } from '../en.ts';

export const shared = {
  lead: 'Tasks that others share with you, and tasks that you share.',
  withMe: 'Shared with you',
  byMe: 'Shared by you',
  withMeEmpty: 'Nobody shares a task with you.',
  byMeEmpty: 'You share no task. The section “Access” in the panel of a task does it.',
  reading: 'Reading what is shared with you',
  reload: 'Try again',
  truncated: 'More is shared with you than the service lists.',
  owner: (name: string) => `owner ${name}`,
  level: (word: string) => `you are ${word.toLowerCase()}`,
  publicLink: 'public link',
  people: 'People',
  peopleOf: (title: string) => `People with access to ${quoted(title)}`,
  noPeople: 'It is shared with nobody.',
  more: (rows: number) => `Show ${count(rows, 'more task', 'more tasks')}`,
  title: en.shared.title,
} as const;
