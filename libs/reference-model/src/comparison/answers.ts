// The answers of the service and of the reference model in one form.

import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { Op } from '@taskgraph/wire/codes';
import { named, operationsIn } from '../batch-operations.ts';
import type { CreatedNames, ModelAnswer, ModelCommand, ModelMoment, ModelState } from '../state.ts';

interface Entry {
  readonly op: number;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}
type Body = Record<string, unknown>;

/**
 * The names that the service created in an answer, for the model to use. A kind without a created
 * entity gets an id that no entity has. If the caller of a batch loses sight of a node that they
 * published, only its slices contain the token.
 */
export function namesIn(
  reply: ReplyMessage,
  command?: ModelCommand,
  slices: readonly SliceMessage[] = [],
): Omit<ModelMoment, 'now'> {
  const body = (reply.ok ? reply.body : {}) as {
    batchId?: string;
    diff?: Body;
    results?: readonly OperationIds[];
    node?: { readonly id: string } | null;
  };
  const entries = (name: string) => (body.diff?.[name] ?? []) as Entry[];
  const made = (name: string, op: number) =>
    entries(name).find((entry) => entry.op === op)?.after.id as string | undefined;
  const token = entries('nodes').find(
    ({ op, after }) => op === Op.NODE_PUBLISH && typeof after.publicToken === 'string',
  );
  return {
    batchId: body.batchId ?? (body.diff?.batchId as string | null | undefined) ?? 'no batch',
    nodeId: made('nodes', Op.NODE_ADD) ?? 'no node',
    linkId: made('links', Op.LINK_ADD) ?? 'no link',
    claimed: body.node?.id ?? null,
    publicToken: (token?.after.publicToken as string | undefined) ?? 'no token',
    ...(command?.event === 'batch:run'
      ? { each: eachIn(command, body, [...entries('nodes'), ...slices.flatMap(({ diff }) => diff.nodes as Entry[])]) }
      : {}),
  };
}

type OperationIds = Readonly<Partial<Record<'id' | 'link', string>>>;

/**
 * For a batch, the names of each operation: the entities that it created, and the tokens of its
 * publications, in order for each node.
 */
function eachIn(
  command: ModelCommand,
  { results = [] }: { results?: readonly OperationIds[] },
  nodes: readonly Entry[],
): CreatedNames[] {
  const ids = new Map<string, string>();
  const published = nodes
    // A publication that expired by the clock still has its token.
    .filter(
      ({ op, before, after }) =>
        op === Op.NODE_PUBLISH && before.publicToken !== after.publicToken && after.publicToken,
    )
    .map(({ after }) => [after.publicToken as string, after.id] as const);
  const tokens = [...new Map(published)].map(([token, id]) => ({ id, token }));
  return operationsIn(command).map((operation, at) => {
    const { id = `nothing ${at}`, link = `no link ${at}` } = results[at] ?? {};
    if (operation.as !== undefined) ids.set(`$${operation.as}`, id);
    const about = named(operation.payload ?? {}, ids).id;
    const next = operation.event === 'node:publish' ? tokens.findIndex((one) => one.id === about) : -1;
    const [made] = next < 0 ? [] : tokens.splice(next, 1);
    const linkId = operation.event === 'link:add' ? id : link;
    return { nodeId: id, linkId, publicToken: made?.token ?? `no token ${at}` };
  });
}

/**
 * An answer with its lists in one order, without messages, and with only those details that the
 * model names. The model has no names for the entities that a refused batch would have created, so
 * only the index of the refusal is compared.
 */
export function comparableAnswer(answer: ReplyMessage | ModelAnswer, model: ModelAnswer): object {
  if (answer.ok) {
    const { feeds: _feeds, ...body } = answer.body;
    const { nodes, links, access, skipped, ...header } = body.diff as Body;
    // Only the lists of an undo's diff are documented; other fields are not compared.
    const isUndo = 'undoOf' in body || 'redoOf' in body;
    return { answer: inOrder({ ...body, diff: { nodes, links, access, skipped, ...(isUndo ? {} : header) } }) };
  }
  const modelled = model.ok ? {} : (model.details ?? {});
  const only = 'index' in modelled ? { index: modelled.index } : modelled;
  const details = Object.fromEntries(
    Object.entries(answer.details ?? {}).filter(
      ([name]) => name in only && !(name === 'path' && answer.error === 'conflict.cycle'),
    ),
  );
  return { answer: answer.error, details: inOrder(details) };
}

/**
 * Sorts the lists whose order has no meaning: entries of a diff, share roots, conflicts, blockers.
 */
function inOrder(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => inOrder(item));
    const ordered = ['tags', 'assignee', 'skipped', 'results'].includes(name);
    return ordered ? items : items.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([field, item]) => [field, inOrder(item, field)]),
  );
}

/**
 * A cycle's path may be one of several, so it is checked separately: active primary links must
 * connect its nodes.
 */
export function cyclePathFaults(reply: ReplyMessage, { links }: ModelState): string[] {
  if (reply.ok || reply.error !== 'conflict.cycle') return [];
  const path = (reply.details?.path ?? []) as (string | null)[];
  const active = (source: string, target: string) =>
    links.some((link) => !link.inTrash && link.type === 0 && link.source === source && link.target === target);
  const faults = path.flatMap((id, index) => {
    const next = path[index + 1];
    if (next === undefined) return [];
    if (id === null || next === null) return id === next ? ['two nulls in a row'] : [];
    return active(id, next) ? [] : [`no link from ${id} to ${next}`];
  });
  return path.length < 2 ? ['a path without ends'] : faults;
}
