// The texts of a published page.
import { count, quoted } from '../en.ts';

export const published = {
  opening: 'Opening the page',
  lead: (tasks: number) => `A public page, to read only. ${count(tasks, 'task', 'tasks')}.`,
  list: 'Tasks',
  level: (level: number) => `Level ${level}: `,
  expand: (title: string) => `Show what ${quoted(title)} waits for`,
  elsewhere: 'stands in full elsewhere',
  description: 'Description',
  descriptionOf: (title: string) => `Description of ${quoted(title)}`,
  more: 'Show more tasks',
  connection: {
    live: 'Live: changes show as they happen.',
    'catching-up': 'Catching up',
    offline: 'The service cannot be reached. The page connects again by itself.',
    'signed-out': '',
  },
  endedTitle: 'Nothing is published here',
  ended: 'This page was never published, or its publication has ended. Ask for a new address where you got this one.',
  about: 'Made with Taskgraph',
} as const;
