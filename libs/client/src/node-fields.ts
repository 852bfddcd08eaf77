// The fields of a node that clients may write, and the values of a new node.
// Generated: `npm run docs:generate` writes it from libs/wire/src/node-fields.ts.
/** In the order in which files list them. Lengths count UTF-16 units; `longest` is that of an item. */
export const WRITABLE_FIELDS = {
  title: { kind: 'text', initial: '', most: 500 },
  description: { kind: 'text', initial: '', most: 20_000 },
  status: { kind: 'status', initial: 0 },
  dueDate: { kind: 'time', initial: null },
  tags: { kind: 'texts', initial: [], most: 64, longest: 100 },
  priority: { kind: 'integer', initial: 0, most: 1_000_000 },
  independent: { kind: 'flag', initial: false },
  volume: { kind: 'integer', initial: 0, most: 1_000_000 },
  assignee: { kind: 'texts', initial: [], most: 64, longest: 255 },
  pinned: { kind: 'flag', initial: false },
  collapsed: { kind: 'flag', initial: false },
  x: { kind: 'number', initial: 0 },
  y: { kind: 'number', initial: 0 },
  z: { kind: 'number', initial: 0 },
} as const;

/** The values that a new node has unless its maker gives others. */
export const NEW_NODE = {
  title: '',
  description: '',
  status: 0,
  dueDate: null,
  type: 0,
  tags: [],
  priority: 0,
  independent: false,
  volume: 0,
  version: 1,
  assignee: [],
  x: 0,
  y: 0,
  z: 0,
  pinned: false,
  collapsed: false,
  publicToken: null,
  publicDue: null,
  publicBranch: false,
  inTrash: false,
  lastBatchID: null,
} as const;
