// The texts of the board in English.
import { count, quoted } from '../en.ts';

export const boardTexts = {
  lead: 'Drag a task to another column, or use its menu. A task is Blocked while it waits for another one.',
  help: 'Use the arrow keys to move from task to task, Enter to show the task.',
  columnTasks: (column: string) => `${column} tasks`,
  move: 'Move to',
  moveTo: (title: string) => `Move to another column: ${quoted(title)}`,
  more: (cards: number) => `Show ${count(cards, 'more task', 'more tasks')}`,
  empty: 'No tasks.',
  completedOn: (day: string) => `completed ${day}`,
  notBlocked: (title: string) =>
    `${quoted(title)} cannot be moved to Blocked: a task is Blocked while it waits for another one.`,
  viewOnly: (title: string) => `You can see ${quoted(title)}, but not change it.`,
} as const;
