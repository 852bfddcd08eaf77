// The fields of a link, in the order in which they are stored and shown. Types, schemas, stored forms, views and undo follow
// from this table, as from that of nodes (node-fields.ts).
import { type FieldTable, type NamesWith, namesWhere, type StoredEntity } from './field-table.ts';

export const LINK_FIELDS = {
  id: { kind: 'id', readers: 'everyone', pages: true },
  source: {
    kind: 'id',
    readers: 'everyone',
    about: 'The node that it leads from: the child.',
    undo: true,
    pages: true,
  },
  target: {
    kind: 'id',
    readers: 'everyone',
    about: 'The node that it leads to: the parent.',
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
  /** Its maker, or the parent's owner where node:add made it (LNK7, NODE3). */
  ownerId: { kind: 'id', readers: 'service' },
  /** Its right to convey: membership flows through it while it is active, not private, and both ends are active (ACL3). */
  conveys: { kind: 'flag', readers: 'service' },
  inTrash: { kind: 'flag', readers: 'everyone', about: 'Whether it is in the trash.', initial: false },
  /** Whether it was trashed with a node, and comes back with it (TRS3). */
  trashedWithNode: { kind: 'flag', readers: 'service', initial: false },
  /** When that mark last came off in the trash: its time there counts from then. Absent where it never did. */
  unmarkedTime: { kind: 'time', optional: true, readers: 'service' },
  /**
   * Id of the user who last trashed it: their own restore in its old direction conveys as before (ACL3). Null while never
   * trashed.
   */
  trashedBy: { kind: 'id', orNull: true, readers: 'service', initial: null },
  lastBatchID: {
    kind: 'id',
    orNull: true,
    readers: 'users',
    about: 'The batch that last moved it to the trash.',
    initial: null,
  },
  shareRoots: { kind: 'ids', computed: true, readers: 'everyone', about: 'The share roots that both ends have.' },
  createdTime: { kind: 'time', readers: 'everyone', about: 'When it was made.' },
  lastEditedTime: { kind: 'time', readers: 'everyone', about: 'When it last changed.' },
} as const satisfies FieldTable;
export type LinkFields = typeof LINK_FIELDS;

/** A link as it is stored and as decisions have it. */
export type StoredLink = StoredEntity<LinkFields>;

/** The fields of a link that pages of the graph show (EVT3). */
export type PageLinkField = NamesWith<LinkFields, { pages: true }>;
export const PAGE_LINK_FIELDS = namesWhere(LINK_FIELDS, ({ pages }) => pages === true) as PageLinkField[];
