// The fields of a link, in the order in which they are stored and shown. Types, schemas, stored
// forms, views and undo derive from this table, as from that of nodes (node-fields.ts).
import { type FieldTable, type NamesWith, namesWhere, type StoredEntity } from './field-table.ts';

export const LINK_FIELDS = {
  id: { kind: 'id', readers: 'everyone', pages: true },
  source: {
    kind: 'id',
    readers: 'everyone',
    about: 'Its source node: the child.',
    undo: true,
    pages: true,
  },
  target: {
    kind: 'id',
    readers: 'everyone',
    about: 'Its target node: the parent.',
    undo: true,
    pages: true,
  },
  type: {
    kind: 'linkType',
    readers: 'everyone',
    about: '0 primary: the source blocks the target. 1 secondary: it does not.',
    undo: true,
    pages: true,
  },
  version: {
    kind: 'version',
    readers: 'everyone',
    about: 'Starts at 1 and grows by one with each change.',
    initial: 1,
    pages: true,
  },
  wasBlocker: {
    kind: 'flag',
    readers: 'everyone',
    about: 'Whether it has ever blocked its target.',
    initial: false,
    pages: true,
  },
  private: {
    kind: 'flag',
    readers: 'everyone',
    about: 'Visible only to its owner.',
    undo: true,
    pages: true,
  },
  /** The user who created it, or the parent's owner if node:add created it (LNK7, NODE3). */
  ownerId: { kind: 'id', readers: 'service' },
  /**
   * Whether it propagates membership, while it is active, not private, and both ends are active
   * (ACL3).
   */
  conveys: { kind: 'flag', readers: 'service' },
  inTrash: { kind: 'flag', readers: 'everyone', about: 'Whether it is in the trash.', initial: false },
  /** Whether it was trashed with a node and is restored with it (TRS3). */
  trashedWithNode: { kind: 'flag', readers: 'service', initial: false },
  /**
   * When a link in the trash last lost the mark `trashedWithNode`: its time in the trash counts
   * from then. Absent if it never did.
   */
  unmarkedTime: { kind: 'time', optional: true, readers: 'service' },
  /**
   * Id of the user who last trashed it. If that user restores it in its old direction, it
   * propagates as before (ACL3). Null if it was never trashed.
   */
  trashedBy: { kind: 'id', orNull: true, readers: 'service', initial: null },
  lastBatchID: {
    kind: 'id',
    orNull: true,
    readers: 'users',
    about: 'The batch that last moved it to the trash.',
    initial: null,
  },
  shareRoots: { kind: 'ids', computed: true, readers: 'everyone', about: 'The share roots of both ends.' },
  createdTime: { kind: 'time', readers: 'everyone', about: 'When it was created.' },
  lastEditedTime: { kind: 'time', readers: 'everyone', about: 'When it last changed.' },
} as const satisfies FieldTable;
export type LinkFields = typeof LINK_FIELDS;

/** A link in its stored form, as decisions use it. */
export type StoredLink = StoredEntity<LinkFields>;

/** The fields of a link that pages of the graph show (EVT3). */
export type PageLinkField = NamesWith<LinkFields, { pages: true }>;
export const PAGE_LINK_FIELDS = namesWhere(LINK_FIELDS, ({ pages }) => pages === true) as PageLinkField[];
