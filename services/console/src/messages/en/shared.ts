// The texts of the view of shared tasks.
import { count, en, quoted } from '../en.ts';

export const shared = {
  lead: 'Tasks that others share with you, and tasks that you share.',
  withMe: 'Shared with you',
  byMe: 'Shared by you',
  withMeEmpty: 'No tasks are shared with you.',
  byMeEmpty: 'You share no tasks. To share one, open “Access” in its panel.',
  reading: 'Loading shared tasks',
  reload: 'Try again',
  truncated: 'The list is incomplete.',
  owner: (name: string) => `owner ${name}`,
  level: (word: string) => `your level: ${word.toLowerCase()}`,
  publicLink: 'public link',
  people: 'People',
  peopleOf: (title: string) => `People with access to ${quoted(title)}`,
  noPeople: 'It is not shared with anyone.',
  more: (rows: number) => `Show ${count(rows, 'more task', 'more tasks')}`,
  title: en.shared.title,
} as const;
