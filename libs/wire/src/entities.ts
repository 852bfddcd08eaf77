// The entities as clients see them, and the diff that every mutation returns.
import { z } from 'zod';

/** An id in answers: a UUIDv7 in lower case (GEN1). */
export const id = z.uuid();
/** A time in answers: ISO 8601 UTC with milliseconds (GEN2). */
export const time = z.iso.datetime({ precision: 3 });

const whole = (lowest: number, highest: number) => z.int().min(lowest).max(highest);
export const wholeVersion = z.int().min(1).describe('1 at first, one more with each change.');
/** 0 owner, 1 admin, 2 editor, 3 viewer. */
export const level = whole(0, 3);
/** Of a node. */
export const status = whole(0, 3).describe('0 Available, 1 InProgress, 2 Blocked, 3 Completed.');

/** A node as its reader sees it. `access` is the reader's own level; what a reader may not see is left out. */
export const wireNode = z
  .strictObject({
    id,
    title: z.string().describe('The work to do, in a line.'),
    description: z.string().describe('All else about it.'),
    status,
    dueDate: time
      .nullable()
      .describe('When it should be completed; null for no time. The last second of a day in UTC stands for that day.'),
    type: z.int().describe('Reserved; 0.'),
    tags: z.array(z.string()).describe('Words to find it by.'),
    priority: z.int().describe('How urgent it is, by the order of its users; 0 to 1,000,000.'),
    independent: z.boolean().describe('Links do not block it.'),
    volume: z.int().describe('How much work it is, in the unit of its users; 0 to 1,000,000.'),
    version: wholeVersion,
    assignee: z.array(z.string()).optional().describe('The people who do it, as users name them.'),
    createdTime: time.describe('When it was made.'),
    lastEditedTime: time.describe('When it last changed.'),
    ownerUsername: z.string().optional().describe('The name of its owner.'),
    ownerEmail: z.string().optional().describe('The e-mail of its owner.'),
    publicToken: z.string().nullable().optional().describe('There for admins, and for readers who present it.'),
    publicDue: time.nullable().optional().describe('When the publication ends; null for never.'),
    publicBranch: z.boolean().optional().describe('Whether the publication takes in the branch.'),
    x: z.number().describe('A position, for clients that draw.'),
    y: z.number().describe('A position, for clients that draw.'),
    z: z.number().describe('A position, for clients that draw.'),
    pinned: z.boolean().describe('For clients that draw: whether it stays where it is.'),
    collapsed: z.boolean().describe('For clients that draw: whether what is below it is folded away.'),
    access: level.optional().describe("The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes."),
    shareRoots: z.array(id).describe('Roots of the branches that it belongs to, as far as the reader sees them.'),
    inTrash: z.boolean().describe('Whether it is in the trash.'),
    lastBatchID: id.nullable().optional().describe('The batch that last moved it to the trash.'),
  })
  .meta({ id: 'Node', description: 'A task.' });
export type WireNode = z.infer<typeof wireNode>;

/** A link as its reader sees it. Anonymous readers are not told what moved it to the trash. */
export const wireLink = z
  .strictObject({
    id,
    source: id.describe('The node that it leads from: the child.'),
    target: id.describe('The node that it leads to: the parent.'),
    type: whole(0, 1).describe('0 primary: the source blocks the target. 1 secondary: it does not.'),
    version: wholeVersion,
    wasBlocker: z.boolean().describe('Whether it has ever blocked its target.'),
    private: z.boolean().describe('Only its owner sees it.'),
    inTrash: z.boolean().describe('Whether it is in the trash.'),
    lastBatchID: id.nullable().optional().describe('The batch that last moved it to the trash.'),
    shareRoots: z.array(id).describe('The roots that both ends have.'),
    createdTime: time.describe('When it was made.'),
    lastEditedTime: time.describe('When it last changed.'),
  })
  .meta({ id: 'Link', description: 'A dependency of one node on another.' });
export type WireLink = z.infer<typeof wireLink>;

/** A link in a graph page (EVT3). */
export const pageLink = wireLink
  .pick({
    id: true,
    source: true,
    target: true,
    type: true,
    version: true,
    wasBlocker: true,
    private: true,
  })
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

/** A grant as its node's admins and its grantee see it. */
export const wireGrant = z
  .strictObject({
    id: id.describe("The node's id."),
    email: z.string().describe("The grantee's e-mail, case-folded."),
    level: whole(1, 3).describe('1 admin, 2 editor, 3 viewer.'),
    due: time.nullable().describe('When it ends; null for never.'),
    branch: z.boolean().describe('Whether it takes in all that is below the node.'),
    version: wholeVersion,
  })
  .meta({ id: 'Grant', description: 'The access that an e-mail has to a node.' });
export type WireGrant = z.infer<typeof wireGrant>;

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

export const actor = z
  .strictObject({ username: z.string(), email: z.string() })
  .meta({ id: 'Actor', description: 'The user who did it. Jobs act as `system` with an empty e-mail.' });

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
