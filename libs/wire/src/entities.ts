// The entities in their client form, and the diff that every command returns.
import { z } from 'zod';
import { type Field, type FieldTable, isPublic, namesWhere, type ShownValue } from './field-table.ts';
import { LINK_FIELDS, type LinkFields, PAGE_LINK_FIELDS, type PageLinkField } from './link-fields.ts';
import { NODE_FIELDS, type NodeFields } from './node-fields.ts';

/** An id in answers: a UUIDv7 in lower case (GEN1). */
export const id = z.uuid();
/** A time in answers: ISO 8601 UTC with milliseconds (GEN2). */
export const time = z.iso.datetime({ precision: 3 });

const whole = (lowest: number, highest: number) => z.int().min(lowest).max(highest);
export const wholeVersion = z.int().min(1).describe('Starts at 1 and grows by one with each change.');
/** 0 owner, 1 admin, 2 editor, 3 viewer. */
export const level = whole(0, 3);
/** Status of a node. */
export const status = whole(0, 3).describe(NODE_FIELDS.status.about);

/** The schema of each kind of field in answers. */
const SHOWN: Readonly<Record<Field['kind'], z.ZodType>> = {
  id,
  text: z.string(),
  texts: z.array(z.string()),
  time,
  // No integer of an entity exceeds 1,000,000 (NODE2).
  integer: z.int().meta({ format: 'int32' }),
  number: z.number(),
  flag: z.boolean(),
  version: wholeVersion,
  status,
  linkType: whole(0, 1),
  ids: z.array(id),
  level,
};

type ShownShape<T extends FieldTable> = {
  -readonly [Name in keyof T as T[Name]['readers'] extends 'service'
    ? never
    : Name]: T[Name]['readers'] extends 'everyone'
    ? z.ZodType<ShownValue<T[Name]>>
    : z.ZodOptional<z.ZodType<ShownValue<T[Name]>>>;
};

/** The schemas of the fields that clients see. A field that is not for everyone is optional. */
function shownShape<T extends FieldTable>(table: T): ShownShape<T> {
  const shape = namesWhere(table, isPublic).map((name) => [name, shownSchema(table[name] as Field)]);
  return Object.fromEntries(shape) as unknown as ShownShape<T>;
}

function shownSchema({ kind, orNull, readers, about }: Field): z.ZodType {
  const value = orNull === true ? SHOWN[kind].nullable() : SHOWN[kind];
  const field = readers === 'everyone' ? value : value.optional();
  return about === undefined ? field : field.describe(about);
}

/**
 * A node as its reader sees it. `access` is the reader's own level. Fields that the reader may not
 * see are missing.
 */
export const wireNode = z
  .strictObject(shownShape<NodeFields>(NODE_FIELDS))
  .meta({ id: 'Node', description: 'A task.' });
export type WireNode = z.infer<typeof wireNode>;

/** A link as its reader sees it. Anonymous readers do not see the batch that trashed it. */
export const wireLink = z
  .strictObject(shownShape<LinkFields>(LINK_FIELDS))
  .meta({ id: 'Link', description: 'A dependency of one node on another.' });
export type WireLink = z.infer<typeof wireLink>;

/** A link in a graph page (EVT3). */
export const pageLink = wireLink
  .pick(Object.fromEntries(PAGE_LINK_FIELDS.map((name) => [name, true])) as Record<PageLinkField, true>)
  .meta({ id: 'PageLink', description: 'A link as pages of the graph show it.' });
export type PageLink = z.infer<typeof pageLink>;

/** A node in a page of the trash. */
export const trashNode = wireNode
  .pick({
    id: true,
    title: true,
    status: true,
    inTrash: true,
    lastBatchID: true,
    version: true,
    lastEditedTime: true,
    ownerUsername: true,
    ownerEmail: true,
  })
  // It distinguishes the two forms of a node that `node:get` returns.
  .extend({ inTrash: z.literal(true).describe('It is in the trash.') })
  .meta({ id: 'TrashNode', description: 'A node as pages of the trash show it.' });
export type TrashNode = z.infer<typeof trashNode>;

/** A link in a page of the trash (EVT3). */
export const trashLink = wireLink
  .pick({
    id: true,
    source: true,
    target: true,
    type: true,
    version: true,
    inTrash: true,
    lastBatchID: true,
    private: true,
  })
  .meta({ id: 'TrashLink', description: 'A link as pages of the trash show it.' });
export type TrashLink = z.infer<typeof trashLink>;

/** A grant as the admins of its node and its grantee see it. */
export const wireGrant = z
  .strictObject({
    id: id.describe("The node's id."),
    email: z.string().describe("The grantee's e-mail, case-folded."),
    level: whole(1, 3).describe('1 admin, 2 editor, 3 viewer.'),
    due: time.nullable().describe('When it ends; null for never.'),
    branch: z.boolean().describe('Whether it includes the branch below the node.'),
    version: wholeVersion,
  })
  .meta({ id: 'Grant', description: 'The access that an e-mail has to a node.' });
export type WireGrant = z.infer<typeof wireGrant>;

/** All field names of a resource. They distinguish a read-only field from an unknown one (GEN4). */
export const RESOURCE_FIELDS = {
  node: new Set(Object.keys(wireNode.shape)),
  link: new Set(Object.keys(wireLink.shape)),
  batch: new Set(['batchId', 'actor', 'ts', 'undone', 'ops']),
  grant: new Set(['id', 'email', 'level', 'due', 'branch', 'version', 'showing']),
  token: new Set(['id', 'name', 'prefix', 'createdTime', 'expires', 'readOnly', 'scopes', 'lastUsed']),
  bot: new Set(['id', 'name', 'email', 'createdTime']),
  calendar: new Set(['id', 'name', 'root', 'where', 'as', 'planned', 'createdTime', 'lastUsed']),
  hook: new Set([
    'id',
    'name',
    'url',
    'root',
    'events',
    'where',
    'enabled',
    'state',
    'reason',
    'tokenId',
    'createdTime',
    'lastSuccess',
    'failingSince',
    'nextAttempt',
    'formerSecretEnds',
  ]),
  import: new Set(['id', 'name', 'under', 'createdTime', 'lastUsed', 'group', 'state', 'rows']),
  user: new Set(['id', 'email', 'username', 'admin', 'disabled', 'createdTime']),
} as const;
export type Resource = keyof typeof RESOURCE_FIELDS;

/** One changed entity: `before` and `after` contain the changed fields, or all fields (WIRE5). */
export const diffEntry = z.strictObject({
  op: z.int(),
  before: z.record(z.string(), z.unknown()),
  after: z.record(z.string(), z.unknown()),
});
export type DiffEntry = z.infer<typeof diffEntry>;

export const actor = z
  .strictObject({ username: z.string(), email: z.string() })
  .meta({ id: 'Actor', description: 'The user who made the change. Jobs act as `system` with an empty e-mail.' });

/** The diff of one batch. `batchId` is null if nothing changed (GEN9). */
export const diff = z.strictObject({
  batchId: id.nullable(),
  actor: actor.optional(),
  ts: time,
  nodes: z.array(diffEntry),
  links: z.array(diffEntry),
  access: z.array(diffEntry),
  user: z.array(z.unknown()),
  /** Ids of links that stay in the trash although their node was restored (TRS3). */
  skipped: z.array(id).optional(),
});
export type Diff = z.infer<typeof diff>;
