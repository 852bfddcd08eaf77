// The acts on tasks in their order, each with its key; null without one.
import type { ActName } from './begin-change.ts';

export const ACT_KEYS: Readonly<Record<ActName, string | null>> = {
  start: 'S',
  done: 'D',
  reopen: null,
  'effort 1': '1',
  'effort 2': '2',
  'effort 3': '3',
  'effort 4': '4',
  'effort 5': '5',
  effort: null,
  priority: 'P',
  due: 'U',
  assign: 'A',
  tags: 'T',
  move: null,
  trash: 'Delete',
};
