// The texts of the picture, of collapsed branches, pinned cards and the tiles of branches, in English.
import { count, en } from '../en.ts';

const { quoted, number } = en;

export const graphTexts = {
  help: 'A picture of your tasks: what must be done first is on the left. Use the arrow keys to move from card to card, L to link a task, plus and minus to zoom, and zero to show everything. The panel of a task lists its neighbours as text.',
  cards: 'Tasks in view',
  camera: 'Controls of the picture',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Show all',
  blockedBy: (tasks: number) => `Blocked, waits for ${count(tasks, 'task', 'tasks')}`,
  holdsUp: (tasks: number) => `holds up ${count(tasks, 'task', 'tasks')}`,
  failed: (reason: string) => `Could not lay out the picture: ${reason}`,

  collapse: (title: string) => `Collapse the branch of ${quoted(title)}`,
  expand: (title: string) => `Expand the branch of ${quoted(title)}`,
  hidden: (tasks: number) => `hides ${count(tasks, 'task', 'tasks')}`,
  more: (tasks: number) => `+${number(tasks)}`,
  collapsed: (title: string) => `The branch of ${quoted(title)} is collapsed in the graph.`,
  expanded: (title: string) => `The branch of ${quoted(title)} is expanded in the graph.`,
  nothingBelow: (title: string) => `${quoted(title)} has no tasks below it to hide.`,
  isCollapsed: (title: string) => `The branch of ${quoted(title)} is already collapsed.`,
  isExpanded: (title: string) => `The branch of ${quoted(title)} is not collapsed.`,

  moreTasks: (tasks: number) => `${number(tasks)} more`,
  fewer: 'Show fewer',
  /** It follows the two texts above. */
  before: (title: string) => `tasks that ${quoted(title)} waits for`,
  after: (title: string) => `tasks that wait for ${quoted(title)}`,
  matching: (tasks: number) => count(tasks, 'matches the filter', 'match the filter'),
  changes: {
    sent: 'a change is being sent',
    waiting: 'a change waits to be sent',
    refused: 'a change was refused',
  },

  pinned: (title: string) => `Pinned ${quoted(title)}.`,
  isPinned: 'pinned',
  tidy: 'Tidy',
  tidyHelp: 'Unpin all shown cards',
  nothingPinned: 'No card that you can change is pinned.',
  unpinned: (tasks: number) => `Unpinned ${count(tasks, 'card', 'cards')}.`,
  unpinnedFirst: (tasks: number, left: number) =>
    `Unpinned ${count(tasks, 'card', 'cards')}. Tidy again to unpin the other ${number(left)}.`,

  branches: 'Branches',
  branchesHelp: 'Show a tile for each branch',
  tiles: 'Branches',
  tasks: (tasks: number) => count(tasks, 'task', 'tasks'),
  others: 'Smaller branches',
  /** The numbers of tasks of a branch by status. */
  counts: (numbers: readonly number[]) =>
    numbers.flatMap((tasks, status) => (tasks === 0 ? [] : [`${number(tasks)} ${en.status[status]?.toLowerCase()}`])),
};
