// history: the batches of changes, newest first.
import { Op } from '@taskgraph/wire/codes';
import { flag, integer, object } from '../input-schema.ts';
import { fitting, moreLine, offsetOf, quoted, STATUSES } from '../lines.ts';
import { readNames } from '../nodes.ts';
import { resolveNode } from '../references.ts';
import type { ToolContext } from '../service.ts';
import { MORE, NODE } from '../shared-arguments.ts';
import { momentText } from '../times.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_BATCHES = 20;
const MOST_BATCHES = 100;
/** Operations of a batch that a line lists. */
const MOST_OPERATIONS = 5;

interface HistoryRequest {
  readonly node?: string;
  readonly below?: boolean;
  readonly mine?: boolean;
  readonly limit?: number;
  readonly more?: string;
}

export const history = defineTool<HistoryRequest>({
  name: 'history',
  description: 'Lists changes, newest first, with the batch ids that undo takes. By default all that you see.',
  effect: 'reads',
  input: object({
    node: NODE,
    below: flag('Also of nodes below it.'),
    mine: flag('Only your own; without node.'),
    limit: integer(1, MOST_BATCHES),
    more: MORE,
  }),
  async run({ node, below = false, mine = false, limit = DEFAULT_BATCHES, more }, context) {
    const offset = offsetOf(more);
    const scope = await scopeOf(context, node, below, mine);
    const answer = await context.service.call('history:page', { ...scope, limit, offset });
    const batches = answer.batches as readonly Batch[];
    const shown = batches.flatMap(({ ops }) => ops.slice(0, MOST_OPERATIONS));
    const name = await readNames(
      context.service,
      shown.filter(isOnNode).map(({ entityId }) => entityId),
    );
    const lines = batches.map((batch) => batchLine(batch, name));
    const count = Math.max(Math.min(1, lines.length), fitting(lines));
    const isMore = answer.hasMore === true || count < lines.length;
    const none = lines.length === 0 ? ['There are no changes.'] : [];
    return [...none, ...lines.slice(0, count), ...moreLine(isMore ? String(offset + count) : null)].join('\n');
  },
});

async function scopeOf(context: ToolContext, node: string | undefined, below: boolean, mine: boolean): Promise<object> {
  if (node === undefined) return mine ? { scopeType: 'USER' } : {};
  return { scopeType: below ? 'GRAPH' : 'NODE', scopeId: await resolveNode(context, node) };
}

interface Batch {
  readonly batchId: string;
  readonly actor: { readonly username: string };
  readonly ts: string;
  readonly undone: boolean;
  readonly undoOf?: string;
  readonly redoOf?: string;
  readonly ops: readonly Operation[];
  readonly truncated?: true;
}

interface Operation {
  readonly type: number;
  readonly entityId: string;
  readonly forwardPatch: Readonly<Record<string, unknown>>;
}

const VERBS: Readonly<Record<number, string>> = {
  [Op.NODE_ADD]: 'added',
  [Op.NODE_UPDATE]: 'changed',
  [Op.NODE_STATUS]: 'status of',
  [Op.NODE_TRASH]: 'trashed',
  [Op.NODE_RESTORE]: 'restored',
  [Op.NODE_DELETE]: 'deleted',
  [Op.NODE_PUBLISH]: 'publication of',
  [Op.LINK_ADD]: 'added link',
  [Op.LINK_UPDATE]: 'changed link',
  [Op.LINK_TRASH]: 'trashed link',
  [Op.LINK_RESTORE]: 'restored link',
  [Op.LINK_DELETE]: 'deleted link',
  [Op.LINK_SWAP]: 'reversed link',
  [Op.GRANT_UPSERT]: 'granted access to',
  [Op.GRANT_UPDATE]: 'changed access to',
  [Op.GRANT_DELETE]: 'ended access to',
};

/** The operations on links have codes from 10 to 19. */
function isOnNode({ type }: Operation): boolean {
  return type < Op.LINK_ADD || type >= Op.GRANT_UPSERT;
}

function batchLine(batch: Batch, name: (id: string) => string): string {
  const { batchId, actor, ts, undone, undoOf, redoOf, ops, truncated } = batch;
  const steps = ops.slice(0, MOST_OPERATIONS).map((operation) => operationText(operation, name));
  const more =
    ops.length > steps.length || truncated === true ? [`and ${moreText(ops.length - steps.length, truncated)}`] : [];
  const notes = [
    ...(undone ? ['undone'] : []),
    ...(undoOf === undefined ? [] : [`undo of ${undoOf}`]),
    ...(redoOf === undefined ? [] : [`redo of ${redoOf}`]),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  return `${momentText(ts)} ${quoted(actor.username)} batch ${batchId}${note}: ${[...steps, ...more].join('; ')}`;
}

function moreText(count: number, truncated: true | undefined): string {
  return truncated === true ? 'more' : `${count} more`;
}

function operationText(operation: Operation, name: (id: string) => string): string {
  const { type, entityId, forwardPatch } = operation;
  const verb = VERBS[type] ?? 'changed';
  if (!isOnNode(operation)) return `${verb} ${entityId}`;
  const status = forwardPatch.Status;
  if (type === Op.NODE_STATUS && typeof status === 'number')
    return `${verb} ${name(entityId)} is ${STATUSES[status as 0]}`;
  const fields = type === Op.NODE_UPDATE ? Object.keys(forwardPatch).filter((field) => !UNSHOWN.has(field)) : [];
  return `${verb} ${name(entityId)}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`;
}

/** Fields that change with every step. */
const UNSHOWN: ReadonlySet<string> = new Set(['Version', 'LastEditedTime', 'ShareRoots']);
