// The texts of a published page.
import { count, quoted } from '../en.ts';

export const published = {
  opening: 'Loading the page',
  lead: (tasks: number) => `A public, read-only page. ${count(tasks, 'task', 'tasks')}.`,
  list: 'Tasks',
  level: (level: number) => `Level ${level}: `,
  expand: (title: string) => `Show what ${quoted(title)} waits for`,
  elsewhere: 'listed in full elsewhere',
  description: 'Description',
  descriptionOf: (title: string) => `Description of ${quoted(title)}`,
  more: 'Show more tasks',
  connection: {
    live: 'Live: changes show as they happen.',
    'catching-up': 'Catching up',
    offline: 'The service cannot be reached. The page reconnects automatically.',
    'signed-out': '',
  },
  endedTitle: 'Nothing is published here',
  ended: 'This page was never published, or its publication has ended. Ask whoever sent you the link for a new one.',
  about: 'Made with Taskgraph',
} as const;
