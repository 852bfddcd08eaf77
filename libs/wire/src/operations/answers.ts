// The answers of operations. Their schemas are closed: tests check every answer that they receive.
// No shipped code parses an answer with them.
import { z } from 'zod';
import {
  actor,
  id,
  pageLink,
  time,
  trashLink,
  trashNode,
  wholeVersion,
  wireGrant,
  wireLink,
  wireNode,
} from '../entities.ts';
import { ERRORS } from '../error-codes.ts';

const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .describe("Identifies the call in the service's log.");

/** An answer: `ok`, its own fields, and the trace id. */
export function answer<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject({ ok: z.literal(true), ...shape, trace_id: traceId });
}

const OP = 'The operation code (docs/interface.md#diffs).';
const deleted = z.literal(true).describe('Whether it was deleted permanently.');
const nodePatch = z
  .strictObject({ ...wireNode.partial().shape, deleted: deleted.optional() })
  .meta({ id: 'NodePatch', description: 'Fields of a node.' });
const linkPatch = z
  .strictObject({ ...wireLink.partial().shape, deleted: deleted.optional() })
  .meta({ id: 'LinkPatch', description: 'Fields of a link.' });
const grantPatch = wireGrant.partial().meta({ id: 'GrantPatch', description: 'Fields of a grant.' });

/** An entry: one version step of one entity. */
function entryOf<S extends z.ZodType>(patch: S) {
  return {
    op: z.int().describe(OP),
    before: patch.describe('The changed fields before, or all fields; empty if the entity is new.'),
    after: patch.describe('The changed fields after, or all fields; empty if a grant ended.'),
  };
}

/** The entries omit everything that their reader may not see. */
const nodeEntry = z.strictObject(entryOf(nodePatch)).meta({ id: 'NodeEntry', description: 'A change of a node.' });
const linkEntry = z.strictObject(entryOf(linkPatch)).meta({ id: 'LinkEntry', description: 'A change of a link.' });
const grantEntry = z.strictObject(entryOf(grantPatch)).meta({ id: 'GrantEntry', description: 'A change of a grant.' });

/** The fields of every diff. */
export const diffFields = {
  batchId: id.nullable().describe('The stored batch; null if nothing changed.'),
  actor,
  ts: time.describe('The commit time.'),
  nodes: z.array(nodeEntry),
  links: z.array(linkEntry),
  access: z.array(grantEntry),
  user: z.array(z.never()).describe('Always empty.'),
};
const cutShort = z.literal(true).describe('The diff exceeded 64 MB, so its lists are empty.');
const skipped = z.array(id).describe('Links that stay in the trash although their node was restored.');

const diffOfAnswer = z
  .strictObject({ ...diffFields, skipped: skipped.optional(), truncated: cutShort.optional() })
  .meta({ id: 'Diff', description: 'The changes of a batch that are visible to their reader.' });

/** Entries of an undo or redo also have the fields of `after` at the top level (HIS6). */
const flat = <P extends z.ZodRawShape, S extends z.ZodRawShape>(patch: P, entry: S, id: string) =>
  z.strictObject({ ...patch, ...entry }).meta({ id, description: 'A change by an undo or redo.' });
const revertedDiff = z
  .strictObject({
    ...diffFields,
    nodes: z.array(flat(nodePatch.shape, nodeEntry.shape, 'RevertedNodeEntry')),
    links: z.array(flat(linkPatch.shape, linkEntry.shape, 'RevertedLinkEntry')),
    access: z.array(flat(grantPatch.shape, grantEntry.shape, 'RevertedGrantEntry')).optional(),
    skipped: skipped.optional(),
    truncated: cutShort.optional(),
  })
  .meta({ id: 'RevertedDiff', description: 'A diff whose entries also have the fields of `after` at the top level.' });

const numbers = z.record(z.string(), z.int().min(0));
const ownNumbers = numbers.describe("The numbers of the change in the caller's own feeds, by feed.");
export const feedNumbers = numbers.describe("The heads of the reader's feeds, by feed.");
export const position = z.string().describe('The position from which `changes:get` continues.');

const visibilityChange = z
  .strictObject({
    gained: z.array(z.string()).describe('E-mails that would gain sight of a node.'),
    lost: z.array(z.string()).describe('E-mails that would lose sight of a node.'),
    truncated: z.literal(true).optional().describe('A list would exceed 100 entries.'),
  })
  .meta({
    id: 'VisibilityChange',
    description: 'The e-mails that would gain or lose sight of nodes, by grants that the caller may list.',
  });

/** The fields of a dry run. */
const dry = {
  dryRun: z.literal(true).optional().describe('A dry run: nothing is stored, numbered or pushed.'),
  sight: visibilityChange.optional().describe('Only in a dry run: the e-mails that would gain or lose sight of nodes.'),
};

export const changed = answer({ diff: diffOfAnswer, feeds: ownNumbers, ...dry }).meta({
  id: 'Changed',
  description: 'The answer of a command.',
});

export const claimed = answer({
  diff: diffOfAnswer,
  feeds: ownNumbers,
  node: wireNode
    .nullable()
    .describe('The claimed node; null if there was nothing to claim, or if the caller no longer sees it.'),
  claimId: id
    .nullable()
    .describe(
      'Identifies the claim in `node:claim:renew`, `node:claim:release` and `node:update`; null if there was nothing to claim.',
    ),
  ...dry,
}).meta({ id: 'Claimed', description: 'The answer of `node:claim`.' });

const result = z
  .strictObject({
    id: id.optional().describe('The node that it created, or the link that it created or restored.'),
    link: id.optional().describe('The link that it created from a new node to its `target`.'),
  })
  .meta({
    id: 'OperationResult',
    description: 'The ids that an operation of a batch created or restored; empty if there are none.',
  });

export const batchRun = answer({
  diff: diffOfAnswer,
  feeds: ownNumbers,
  results: z.array(result).describe('One for each operation.'),
  ...dry,
}).meta({ id: 'BatchRun', description: 'The answer of `batch:run`.' });

const reverted = {
  batchId: id.nullable().describe('The new batch, which can be undone too; null for a dry run.'),
  diff: revertedDiff,
  feeds: ownNumbers,
  ...dry,
};
export const undone = answer({ ...reverted, undoOf: id.describe('The batch that was undone.') }).meta({ id: 'Undone' });
export const redone = answer({ ...reverted, redoOf: id.describe('The batch that was redone.') }).meta({
  id: 'Redone',
});

const hasMore = z.boolean().describe('Whether another page follows.');

/** Set if others granted more than the reader is shown (ACL11). */
export const grantsTruncated = z
  .literal(true)
  .optional()
  .describe('The caller was granted more than is shown. Nodes that are not shown can still be read by id.');

export const graphPage = answer({
  hasMore,
  truncated: grantsTruncated,
  next: z.string().nullable().describe('The `after` of the next page; null at the end.'),
  nodes: z.array(wireNode),
  links: z.array(pageLink),
  feeds: feedNumbers.optional().describe("Only on the first page: the heads of the reader's feeds."),
  position: position
    .optional()
    .describe("Only on a user's first page: the position from which `changes:get` continues."),
}).meta({ id: 'GraphPage', description: 'A page of the graph. All nodes come before all links.' });

export const trashPageAnswer = answer({
  hasMore,
  truncated: z.literal(true).optional().describe('The service did not examine everything that the caller may restore.'),
  nodes: z.array(trashNode),
  links: z.array(trashLink),
}).meta({
  id: 'TrashPage',
  description: 'A page of the trash: nodes and links together, newest first.',
});

/** Names in patches are capitalised; their values are those of the entity. */
const patch = z.record(z.string(), z.unknown());

const operation = z
  .strictObject({
    id: z.int().min(1).describe('Counts from 1 among the operations that are shown.'),
    type: z.int().describe(OP),
    entityId: id.describe('The id of the node or link; for a grant, the id of its node.'),
    forwardPatch: patch.describe('The fields after the change. Names are capitalised.'),
    inversePatch: patch.describe('The fields before the change. Names are capitalised.'),
    guard: z
      .strictObject({ Version: wholeVersion.optional() })
      .describe('The version before; empty if the entity is new.'),
    createdTime: time,
  })
  .meta({ id: 'Operation', description: 'One change of a batch.' });

const historyBatch = z
  .strictObject({
    batchId: id,
    actor,
    ts: time,
    undone: z.boolean().describe('Whether its effect is undone now.'),
    undoOf: id.optional().describe('The batch that it undid.'),
    redoOf: id.optional().describe('The batch that it redid.'),
    ops: z.array(operation),
    truncated: z.literal(true).optional().describe('The batch has more operations than fit into a page.'),
  })
  .meta({ id: 'HistoryBatch', description: 'A batch of history, with the operations that are visible to its reader.' });

export const historyPageAnswer = answer({
  hasMore,
  truncated: z
    .literal(true)
    .optional()
    .describe('The service did not examine the whole scope. The page of `next` continues.'),
  next: z
    .string()
    .nullable()
    .describe(
      'The `after` of the next page. With `order: "oldest"` it is never null, so that a caller can wait for more.',
    ),
  batches: z.array(historyBatch),
}).meta({ id: 'HistoryPage', description: 'A page of history, in the order of the call.' });

const idLists = z.strictObject({ nodes: z.array(id), links: z.array(id) });
export const ids = idLists.meta({ id: 'Ids', description: 'Ids of nodes and links.' });

const changesPage = answer({
  resetRequired: z.never().optional(),
  position: position.describe('The position for the next `changes:get`, after the last page.'),
  hasMore,
  truncated: grantsTruncated,
  next: z.string().nullable().describe('The `cursor` of the next page, with the same `since`; null at the end.'),
  nodes: z.array(wireNode),
  links: z.array(wireLink),
  gone: ids.describe("The ids of the entities that left the caller's graph."),
  feeds: z.strictObject({ gained: z.array(z.string()), lost: z.array(z.string()) }),
  heads: feedNumbers.optional().describe('Only on the first page: the heads of the feeds.'),
}).meta({ id: 'ChangesPage', description: 'The present state of the entities that changed since a position.' });

const reset = answer({ resetRequired: z.literal(true) }).meta({
  id: 'ResetRequired',
  description: 'The position is too old: read the graph again.',
});

export const changes = z.xor([changesPage, reset]).meta({ id: 'Changes' });

export const grants = answer({
  grants: z.array(wireGrant),
  hasMore,
  next: z.string().optional().describe('The `after` of the next page; absent at the end.'),
}).meta({ id: 'Grants', description: 'The grants on a node, by e-mail.' });

export const health = answer({ status: z.literal('up') }).meta({ id: 'Health' });

/** A code that contains a field name is recognised by its beginning. */
const listed = Object.keys(ERRORS).map((code) => code.replace('<field>', ''));

/** The body of every refusal (GEN3). */
export const refusalFields = {
  ok: z.literal(false),
  error: z
    .string()
    .refine((code) => listed.includes(code) || listed.some((known) => known.endsWith('_') && code.startsWith(known)))
    .describe('The code (docs/errors.md). Later releases may add codes; the first part of a code gives its kind.'),
  message: z.string().min(1).describe('A sentence for people.'),
  trace_id: traceId,
  details: z.record(z.string(), z.unknown()).optional().describe('Further facts, depending on the code.'),
};
export const refusal = z
  .strictObject(refusalFields)
  .meta({ id: 'Refusal', description: 'The service refused the call.' });
