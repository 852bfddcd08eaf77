// The answers of calls, closed: tests hold every answer that they get against them. Nothing that ships parses an answer by them.
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
  .describe("Leads to the service's log lines.");

/** An answer: `ok`, its own fields, and the trace id. */
export function answer<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject({ ok: z.literal(true), ...shape, trace_id: traceId });
}

const OP = 'The code of the operation (docs/interface.md#diffs).';
const deleted = z.literal(true).describe('It was deleted for good.');
const nodePatch = z.strictObject({ ...wireNode.partial().shape, deleted: deleted.optional() });
const linkPatch = z.strictObject({ ...wireLink.partial().shape, deleted: deleted.optional() });
const grantPatch = wireGrant.partial();

/** An entry: one version step of one entity. */
function entryOf<S extends z.ZodType>(patch: S) {
  return {
    op: z.int().describe(OP),
    before: patch.describe('The changed fields as they were, or all of them; empty where it was made.'),
    after: patch.describe('The changed fields as they are, or all of them; empty where a grant ended.'),
  };
}

/** Of a change in a feed, or in an answer. Of what its reader may not see there is nothing. */
const nodeEntry = z.strictObject(entryOf(nodePatch)).meta({ id: 'NodeEntry', description: 'A change of a node.' });
const linkEntry = z.strictObject(entryOf(linkPatch)).meta({ id: 'LinkEntry', description: 'A change of a link.' });
const grantEntry = z.strictObject(entryOf(grantPatch)).meta({ id: 'GrantEntry', description: 'A change of a grant.' });

/** The fields of every diff. */
export const diffFields = {
  batchId: id.nullable().describe('The batch of history; null where nothing changed.'),
  actor,
  ts: time.describe('When it was committed.'),
  nodes: z.array(nodeEntry),
  links: z.array(linkEntry),
  access: z.array(grantEntry),
  user: z.array(z.never()).describe('Always empty.'),
};
const cutShort = z.literal(true).describe('The diff was longer than 64 MB: its lists are empty.');
const skipped = z.array(id).describe('Links that stay in the trash though their node came back.');

const diffOfAnswer = z
  .strictObject({ ...diffFields, skipped: skipped.optional(), truncated: cutShort.optional() })
  .meta({ id: 'Diff', description: 'All that a batch changed and its reader may see.' });

/** Entries of an undo or redo bear the fields of `after` beside (HIS6). */
const flat = <P extends z.ZodRawShape, S extends z.ZodRawShape>(patch: P, entry: S) =>
  z.strictObject({ ...patch, ...entry });
const revertedDiff = z
  .strictObject({
    ...diffFields,
    nodes: z.array(flat(nodePatch.shape, nodeEntry.shape)),
    links: z.array(flat(linkPatch.shape, linkEntry.shape)),
    access: z.array(flat(grantPatch.shape, grantEntry.shape)).optional(),
    skipped: skipped.optional(),
    truncated: cutShort.optional(),
  })
  .meta({ id: 'RevertedDiff', description: 'A diff whose entries bear the fields of `after` beside.' });

const numbers = z.record(z.string(), z.int().min(0));
const ownNumbers = numbers.describe("The numbers that the change has in the caller's own feeds, by feed.");
export const feedNumbers = numbers.describe("The numbers that the reader's feeds have reached, by feed.");
export const position = z.string().describe('Where to ask `changes:get` from.');

const sight = z
  .strictObject({
    gained: z.array(z.string()).describe('E-mails that would come to see a node.'),
    lost: z.array(z.string()).describe('E-mails that would cease to see a node.'),
    truncated: z.literal(true).optional().describe('A list would be longer than 100.'),
  })
  .meta({
    id: 'Sight',
    description: 'The e-mails that would gain or lose sight of nodes, by grants that the caller could list.',
  });

/** Fields of an answer to a mutation that was not done. */
const dry = {
  dryRun: z.literal(true).optional().describe('It was only decided: nothing is stored, numbered or pushed.'),
  sight: sight.optional().describe('Of a dry run: who would gain or lose sight.'),
};

export const changed = answer({ diff: diffOfAnswer, feeds: ownNumbers, ...dry }).meta({
  id: 'Changed',
  description: 'The answer of a mutation.',
});

const result = z
  .strictObject({
    id: id.optional().describe('The node that it made, or the link that it made or brought back.'),
    link: id.optional().describe('The link of a node that it made to its `target`.'),
  })
  .meta({ id: 'Result', description: 'The ids that an operation of a batch brought; empty where it brought nothing.' });

export const ran = answer({
  diff: diffOfAnswer,
  feeds: ownNumbers,
  results: z.array(result).describe('One for each operation.'),
  ...dry,
}).meta({ id: 'Ran', description: 'The answer of a batch of operations.' });

const reverted = {
  batchId: id.nullable().describe('The new batch, which can be undone itself; null for a dry run.'),
  diff: revertedDiff,
  feeds: ownNumbers,
  ...dry,
};
export const undone = answer({ ...reverted, undoOf: id.describe('The batch that was undone.') }).meta({ id: 'Undone' });
export const redone = answer({ ...reverted, redoOf: id.describe('The batch that was done again.') }).meta({
  id: 'Redone',
});

const hasMore = z.boolean().describe('Whether there is more after this page.');

/** Where others granted more than a reader is shown (ACL11). */
export const shownCut = z
  .literal(true)
  .optional()
  .describe('More was granted to the caller than is shown: what they name by its id can be read all the same.');

export const graphPage = answer({
  hasMore,
  truncated: shownCut,
  next: z.string().nullable().describe('The `after` of the next page; null at the end.'),
  nodes: z.array(wireNode),
  links: z.array(pageLink),
  feeds: feedNumbers.optional().describe("On a first page: the numbers that the reader's feeds have reached."),
  position: position.optional().describe('On a first page of a user: where to ask `changes:get` from.'),
}).meta({ id: 'GraphPage', description: 'A page of the graph: all nodes come before all links.' });

export const trashPageAnswer = answer({
  hasMore,
  truncated: z.literal(true).optional().describe('Not all that the caller may restore was looked at.'),
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
    id: z.int().min(1).describe('Counts from 1 among those that are shown.'),
    type: z.int().describe(OP),
    entityId: id.describe("The node's or the link's; of a grant the node's."),
    forwardPatch: patch.describe('The fields as it left them. Names are capitalised.'),
    inversePatch: patch.describe('The fields as they were before. Names are capitalised.'),
    guard: z
      .strictObject({ Version: wholeVersion.optional() })
      .describe('The version before; empty where it was made.'),
    createdTime: time,
  })
  .meta({ id: 'Operation', description: 'One change of a batch.' });

const historyBatch = z
  .strictObject({
    batchId: id,
    actor,
    ts: time,
    undone: z.boolean().describe('Whether its effect is taken away now.'),
    undoOf: id.optional().describe('The batch that it undid.'),
    redoOf: id.optional().describe('The batch that it did again.'),
    ops: z.array(operation),
    truncated: z.literal(true).optional().describe('There are more operations than fit into a page.'),
  })
  .meta({ id: 'HistoryBatch', description: 'A batch of history, with the operations that its reader may see.' });

export const historyPageAnswer = answer({
  hasMore,
  truncated: z.literal(true).optional().describe('Not all of the scope was looked at.'),
  batches: z.array(historyBatch),
}).meta({ id: 'HistoryPage', description: 'A page of history, newest first.' });

const idLists = z.strictObject({ nodes: z.array(id), links: z.array(id) });
export const ids = idLists.meta({ id: 'Ids', description: 'Ids of nodes and links.' });

const changesPage = answer({
  resetRequired: z.never().optional(),
  position: position.describe('Where to ask from the next time, once the last page is here.'),
  hasMore,
  truncated: shownCut,
  next: z.string().nullable().describe('The `cursor` of the next page, with the same `since`; null at the end.'),
  nodes: z.array(wireNode),
  links: z.array(wireLink),
  gone: ids.describe('The ids of what went.'),
  feeds: z.strictObject({ gained: z.array(z.string()), lost: z.array(z.string()) }),
  heads: feedNumbers.optional().describe('On the first page: the numbers that the feeds have reached.'),
}).meta({ id: 'ChangesPage', description: 'The present state of what changed since a position.' });

const reset = answer({ resetRequired: z.literal(true) }).meta({
  id: 'ResetRequired',
  description: 'The position is too old: read the graph anew.',
});

export const changes = z.union([changesPage, reset]).meta({ id: 'Changes' });

export const grants = answer({
  grants: z.array(wireGrant),
  hasMore,
  next: z.string().optional().describe('The `after` of the next page, where there is one.'),
}).meta({ id: 'Grants', description: 'The grants on a node, by e-mail.' });

export const health = answer({ status: z.literal('up') }).meta({ id: 'Health' });

/** Codes of a table's family with a field's name in them are known by their beginning. */
const listed = Object.keys(ERRORS).map((code) => code.replace('<field>', ''));

/** The body of every answer that says no (GEN3). */
export const refusalFields = {
  ok: z.literal(false),
  error: z
    .string()
    .refine((code) => listed.includes(code) || listed.some((known) => known.endsWith('_') && code.startsWith(known)))
    .describe('The code (docs/errors.md). Later releases may have more; the first part tells the kind.'),
  message: z.string().min(1).describe('A sentence for people.'),
  trace_id: traceId,
  details: z.record(z.string(), z.unknown()).optional().describe('More that helps to get further, by code.'),
};
export const refusal = z.strictObject(refusalFields).meta({ id: 'Refusal', description: 'The call was not done.' });
