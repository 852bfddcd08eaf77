// The fields of a node, in the order in which they are stored and shown. Types, schemas, stored
// forms, views, undo, files of tasks and documents derive from this table. It is in wire, the
// lowest package, because the schemas of payloads use it.
import { Status } from './codes.ts';
import { type FieldTable, isPublic, isStored, type NamesWith, namesWhere, type StoredEntity } from './field-table.ts';

const MOST_NUMBER = 1_000_000;

export const NODE_FIELDS = {
  id: { kind: 'id', readers: 'everyone' },
  /** It never changes. */
  ownerId: { kind: 'id', readers: 'service' },
  title: {
    kind: 'text',
    readers: 'everyone',
    about: 'The work to do, in one line.',
    initial: '',
    write: { most: 500 },
    undo: true,
    content: true,
  },
  description: {
    kind: 'text',
    readers: 'everyone',
    about: 'Everything else about it.',
    initial: '',
    write: { most: 20_000 },
    undo: true,
    content: true,
  },
  // Undo compares it in its own way (BLK3).
  status: {
    kind: 'status',
    readers: 'everyone',
    about: '0 Available, 1 InProgress, 2 Blocked, 3 Completed.',
    initial: Status.AVAILABLE,
    write: { about: '0 Available, 1 InProgress or 3 Completed. Clients cannot set 2, Blocked.' },
  },
  /** The status to which unblocking returns (BLK3); null while the node is not Blocked. */
  statusBefore: { kind: 'status', orNull: true, readers: 'service', initial: null },
  /**
   * The number of active primary links to the node whose source is not Completed. Independent nodes
   * count them too.
   */
  openBlockers: { kind: 'integer', readers: 'service', initial: 0 },
  dueDate: {
    kind: 'time',
    orNull: true,
    readers: 'everyone',
    about: 'When it should be completed; null for no date. The last second of a day in UTC stands for that day.',
    initial: null,
    write: {
      about: 'Null clears it. The last second of a day in UTC, such as 2026-12-24T23:59:59Z, stands for that day.',
    },
    undo: true,
  },
  type: { kind: 'integer', readers: 'everyone', about: 'Reserved; 0.', initial: 0, undo: true },
  tags: {
    kind: 'texts',
    readers: 'everyone',
    about: 'Words by which to find it.',
    initial: [],
    write: { most: 64, longest: 100 },
    undo: true,
    content: true,
  },
  priority: {
    kind: 'integer',
    readers: 'everyone',
    about: 'How urgent it is, on a scale of its users; 0 to 1,000,000.',
    initial: 0,
    write: { most: MOST_NUMBER, about: 'How urgent it is, on a scale of its users.' },
    undo: true,
  },
  independent: {
    kind: 'flag',
    readers: 'everyone',
    about: 'Links do not block it.',
    initial: false,
    write: { about: 'Whether links do not block it.' },
    undo: true,
  },
  volume: {
    kind: 'integer',
    readers: 'everyone',
    about: 'How much work it is, in a unit of its users; 0 to 1,000,000.',
    initial: 0,
    write: { most: MOST_NUMBER, about: 'How much work it is, in a unit of its users.' },
    undo: true,
  },
  version: {
    kind: 'version',
    readers: 'everyone',
    about: 'Starts at 1 and grows by one with each change.',
    initial: 1,
  },
  assignee: {
    kind: 'texts',
    readers: 'users',
    about: 'The people who do it, by any names.',
    initial: [],
    write: { most: 64, longest: 255 },
    undo: true,
    content: true,
  },
  createdTime: { kind: 'time', readers: 'everyone', about: 'When it was created.' },
  lastEditedTime: { kind: 'time', readers: 'everyone', about: 'When it last changed.' },
  // Derived from the status; undo restores both together (BLK11).
  completedTime: {
    kind: 'time',
    orNull: true,
    readers: 'everyone',
    about: 'When it became Completed; null while it is not, and where the time is not known.',
    initial: null,
  },
  // A claim (CLAIM1). All of them are null while the node has none.
  claimedBy: {
    kind: 'text',
    orNull: true,
    readers: 'users',
    about: 'The name of the user who claimed it; null without a claim.',
    initial: null,
  },
  claimUntil: {
    kind: 'time',
    orNull: true,
    readers: 'users',
    about: 'When its claim ends; null without a claim. A claim whose end has passed has no effect.',
    initial: null,
  },
  /** The batch that began the claim. */
  claimId: { kind: 'id', orNull: true, readers: 'service', initial: null },
  /** The user who claimed it. */
  claimerId: { kind: 'id', orNull: true, readers: 'service', initial: null },
  /** Whether the claim added its user to `assignee`, so that its release removes them. */
  claimAssigned: { kind: 'flag', orNull: true, readers: 'service', initial: null },
  ownerUsername: { kind: 'text', computed: true, readers: 'users', about: 'The name of its owner.' },
  ownerEmail: { kind: 'text', computed: true, readers: 'users', about: 'The e-mail of its owner.' },
  x: {
    kind: 'number',
    readers: 'everyone',
    about: 'A position, for clients that draw.',
    initial: 0,
    write: {},
    undo: true,
  },
  y: {
    kind: 'number',
    readers: 'everyone',
    about: 'A position, for clients that draw.',
    initial: 0,
    write: {},
    undo: true,
  },
  z: {
    kind: 'number',
    readers: 'everyone',
    about: 'A position, for clients that draw.',
    initial: 0,
    write: {},
    undo: true,
  },
  pinned: {
    kind: 'flag',
    readers: 'everyone',
    about: 'For clients that draw: whether it stays in its position.',
    initial: false,
    write: {},
    undo: true,
  },
  collapsed: {
    kind: 'flag',
    readers: 'everyone',
    about: 'For clients that draw: whether the branch below it is collapsed.',
    initial: false,
    write: {},
    undo: true,
  },
  publicToken: {
    kind: 'text',
    orNull: true,
    readers: 'publication',
    about: 'Only for admins, and for readers who sent it.',
    initial: null,
    undo: true,
  },
  publicDue: {
    kind: 'time',
    orNull: true,
    readers: 'publication',
    about: 'The end of the publication; null for no end.',
    initial: null,
    undo: true,
  },
  publicBranch: {
    kind: 'flag',
    readers: 'publication',
    about: 'Whether the publication includes the branch.',
    initial: false,
    undo: true,
  },
  access: {
    kind: 'level',
    computed: true,
    readers: 'users',
    about: "The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes.",
  },
  shareRoots: {
    kind: 'ids',
    computed: true,
    readers: 'everyone',
    about: 'The share roots of the branches that contain it, as far as they are visible to the reader.',
  },
  inTrash: { kind: 'flag', readers: 'everyone', about: 'Whether it is in the trash.', initial: false },
  lastBatchID: {
    kind: 'id',
    orNull: true,
    readers: 'users',
    about: 'The batch that last moved it to the trash.',
    initial: null,
  },
} as const satisfies FieldTable;
export type NodeFields = typeof NODE_FIELDS;

/** The fields of a claim. They are set and removed together (CLAIM1). */
export const NO_CLAIM = {
  claimedBy: null,
  claimUntil: null,
  claimId: null,
  claimerId: null,
  claimAssigned: null,
} as const;

/** A node in its stored form, as decisions use it. */
export type StoredNode = StoredEntity<NodeFields>;

export type WritableNodeField = NamesWith<NodeFields, { write: object }>;

/**
 * The order in which a payload is validated (GEN4) and in which files of tasks list the fields
 * (IO2).
 */
const WRITE_ORDER: Readonly<Record<WritableNodeField, true>> = {
  title: true,
  description: true,
  status: true,
  dueDate: true,
  tags: true,
  priority: true,
  independent: true,
  volume: true,
  assignee: true,
  pinned: true,
  collapsed: true,
  x: true,
  y: true,
  z: true,
};
export const WRITABLE_NODE_FIELDS = Object.keys(WRITE_ORDER) as WritableNodeField[];

/** The fields of a publication. They are set and shown together (WIRE5). */
export type PublicationField = NamesWith<NodeFields, { readers: 'publication' }>;
export const PUBLICATION_FIELDS = namesWhere(
  NODE_FIELDS,
  ({ readers }) => readers === 'publication',
) as PublicationField[];

/** The part of a node that views read: the shown fields, and the owner, whose names are shown. */
export type ViewedNode = Omit<StoredNode, Exclude<NamesWith<NodeFields, { readers: 'service' }>, 'ownerId'>>;
export const VIEWED_NODE_FIELDS = namesWhere(
  NODE_FIELDS,
  (field, name) => name === 'ownerId' || (isStored(field) && isPublic(field)),
) as (keyof ViewedNode)[];
