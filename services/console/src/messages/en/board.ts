// The texts of the board in English.
import { count } from '../en.ts';

export const boardTexts = {
  lead: 'Drag a task to another column, or use its menu. Blocked follows from what a task waits for.',
  help: 'Arrow keys walk from task to task. Enter shows the task.',
  columnTasks: (column: string) => `${column} tasks`,
  move: 'Move to',
  moveTo: (title: string) => `Move to another column: “${title}”`,
  more: (cards: number) => `Show ${count(cards, 'more task', 'more tasks')}`,
  empty: 'No task.',
  completedOn: (day: string) => `completed ${day}`,
  notBlocked: (title: string) =>
    `“${title}” cannot be moved to Blocked: a task is Blocked while it waits for another one.`,
  viewOnly: (title: string) => `You can see “${title}”, but not change it.`,
} as const;
