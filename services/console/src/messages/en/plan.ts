// The texts of the plan in English.
import { count, en } from '../en.ts';

const { quoted, number } = en;

export const planTexts = {
  lead: 'The earliest start of each task, and how long it can wait.',
  help: 'Use the arrow keys to move from task to task, Enter to show the task. Plus and minus ask what happens if it takes more or less effort; drag the end of a bar to ask the same.',
  list: 'Planned tasks',
  task: 'Task',
  units: 'Units of effort from the beginning of the plan',
  days: 'Days',
  startsOn: 'Starts on',
  unit: 'A unit of effort is',
  unitNames: { hour: 'an hour', day: 'a day', week: 'a week' },
  noStart: 'Without a first day, times are in units of effort.',
  end: (time: string) => `Ends ${time}`,
  today: 'Today',
  at: (time: number) => `at ${number(time)}`,
  on: (day: string) => `on ${day}`,
  number,
  starts: (time: string) => `starts ${time}`,
  ends: (time: string) => `ends ${time}`,
  becomes: (time: string) => `would end ${time}`,

  whatIf: 'What if',
  question: (title: string, volume: number, before: number) =>
    `What if ${quoted(title)} takes ${number(volume)} instead of ${number(before)}?`,
  /** `before` and `after` are times in words. */
  endMoves: (before: string, after: string) => `The end moves from ${before} to ${after}`,
  endStays: (end: string) => `The end stays at ${end}`,
  tasksMove: (tasks: number) => (tasks === 0 ? 'no other task moves' : count(tasks, 'task moves', 'tasks move')),
  becomeLate: (tasks: number) => count(tasks, 'task becomes late', 'tasks become late'),
  parts: (sentences: readonly string[]) => sentences.join('; '),
  accept: 'Apply',
  discard: 'Discard',
  viewOnly: (title: string) => `You can see ${quoted(title)}, but not change it.`,
  isCompleted: (title: string) => `${quoted(title)} is completed. Its effort does not change the plan.`,
} as const;
