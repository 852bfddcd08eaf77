// The entities as clients see them, and the diff that every mutation returns.
import { z } from 'zod';

const id = z.string();
const time = z.string();

/** A node as its reader sees it. `access` is the reader's own level; what a reader may not see is left out. */
export const wireNode = z.strictObject({
  id,
  title: z.string(),
  description: z.string(),
  status: z.int(),
  dueDate: time.nullable(),
  type: z.int(),
  tags: z.array(z.string()),
  priority: z.int(),
  independent: z.boolean(),
  volume: z.int(),
  version: z.int(),
  assignee: z.array(z.string()).optional(),
  createdTime: time,
  lastEditedTime: time,
  ownerUsername: z.string().optional(),
  ownerEmail: z.string().optional(),
  publicToken: z.string().nullable().optional(),
  publicDue: time.nullable().optional(),
  publicBranch: z.boolean().optional(),
  x: z.number(),
  y: z.number(),
  z: z.number(),
  pinned: z.boolean(),
  collapsed: z.boolean(),
  access: z.int().optional(),
  shareRoots: z.array(id),
  inTrash: z.boolean(),
  lastBatchID: id.nullable().optional(),
});
export type WireNode = z.infer<typeof wireNode>;

/** A link as its reader sees it. */
export const wireLink = z.strictObject({
  id,
  source: id,
  target: id,
  type: z.int(),
  version: z.int(),
  wasBlocker: z.boolean(),
  private: z.boolean(),
  inTrash: z.boolean(),
  lastBatchID: id.nullable().optional(),
  shareRoots: z.array(id),
  createdTime: time,
  lastEditedTime: time,
});
export type WireLink = z.infer<typeof wireLink>;

/** A link in a graph page (EVT3). */
export const pageLink = wireLink.pick({
  id: true,
  source: true,
  target: true,
  type: true,
  version: true,
  wasBlocker: true,
  private: true,
});
export type PageLink = z.infer<typeof pageLink>;

/** A node in a page of the trash. */
export const trashNode = wireNode.pick({
  id: true,
  title: true,
  status: true,
  inTrash: true,
  lastBatchID: true,
  version: true,
  lastEditedTime: true,
  ownerUsername: true,
  ownerEmail: true,
});
export type TrashNode = z.infer<typeof trashNode>;

/** A link in a page of the trash (EVT3). */
export const trashLink = wireLink.pick({
  id: true,
  source: true,
  target: true,
  type: true,
  version: true,
  inTrash: true,
  lastBatchID: true,
  private: true,
});
export type TrashLink = z.infer<typeof trashLink>;

/** Names of all fields of a resource: tells a field that can't be written from one that does not exist (GEN4). */
export const RESOURCE_FIELDS = {
  node: new Set(Object.keys(wireNode.shape)),
  link: new Set(Object.keys(wireLink.shape)),
  batch: new Set(['batchId', 'actor', 'ts', 'undone', 'ops']),
  grant: new Set(['id', 'email', 'level', 'due', 'branch', 'version', 'showing']),
  token: new Set(['id', 'name', 'prefix', 'createdTime', 'expires', 'readOnly', 'lastUsed']),
  user: new Set(['id', 'email', 'username', 'admin', 'disabled', 'createdTime']),
} as const;
export type Resource = keyof typeof RESOURCE_FIELDS;

/** One changed entity: `before` and `after` hold the changed fields, or all of them (WIRE5). */
export const diffEntry = z.strictObject({
  op: z.int(),
  before: z.record(z.string(), z.unknown()),
  after: z.record(z.string(), z.unknown()),
});
export type DiffEntry = z.infer<typeof diffEntry>;

export const actor = z.strictObject({ username: z.string(), email: z.string() });

/** The diff of one batch. `batchId` is null where nothing changed (GEN9). */
export const diff = z.strictObject({
  batchId: id.nullable(),
  actor: actor.optional(),
  ts: time,
  nodes: z.array(diffEntry),
  links: z.array(diffEntry),
  access: z.array(diffEntry),
  user: z.array(z.unknown()),
  /** Ids of links that stay in the trash though their node was restored (TRS3). */
  skipped: z.array(id).optional(),
});
export type Diff = z.infer<typeof diff>;
