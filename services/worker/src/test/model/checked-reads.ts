// Reads of the model's users. Each answer is searched for leaks.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { findLeaks, type Moment } from '@taskgraph/reference-model/comparison/leaks';
import { visibilityOf } from '@taskgraph/reference-model/rules/visibility';
import type { ModelUser } from '@taskgraph/reference-model/state';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { wireNode } from '@taskgraph/wire/entities';
import { operations } from '@taskgraph/wire/operations/operations';
import { expect } from 'vitest';
import type { TestWorker } from '../support/harness.ts';

export type Body = Record<string, unknown>;
export interface Entity {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** One comparison of everything. `pick` is any number: it chooses page sizes and further reads. */
export interface Look {
  readonly worker: TestWorker;
  readonly database: Database;
  readonly users: readonly ModelUser[];
  readonly moment: Moment;
  readonly tokens: readonly string[];
  /** Ids that the user has ever received, and some more. */
  readonly learned: (user: ModelUser, more: Iterable<string>) => ReadonlySet<string>;
  readonly pick: number;
  readonly replicas: Map<string, Replica>;
}

/** The state of a client that only reads changes. */
export interface Replica {
  position: string;
  readonly nodes: Map<string, Entity>;
  readonly links: Map<string, Entity>;
}

/** Reads, searches the answer for leaks, and returns its body or its error. */
export async function ask(look: Look, user: ModelUser | null, event: string, payload: object): Promise<Body> {
  const reply: ReplyMessage = await look.worker.ask(user, event, payload);
  const { state, now } = look.moment;
  const token = (payload as { root?: string }).root ?? '';
  const presented = look.tokens.includes(token) ? [token] : [];
  const sight = visibilityOf(state, user ?? { token }, now, presented);
  const told = user === null ? [] : look.learned(user, sight.ids);
  const known = event === 'changes:get' ? { ...sight, ids: new Set(told) } : sight;
  const leaks = findLeaks(reply, [known], [payload, user?.id], look.tokens);
  expect({ event, payload, by: user?.username ?? 'anonymous', leaks }).toMatchObject({ leaks: [] });
  if (reply.ok && SELECTIVE.has(event) && look.pick % 4 === 0)
    await compareSelected(look, user, event, payload, reply.body);
  return reply.ok ? reply.body : { error: reply.error };
}

/** The reads with `fields`. */
const SELECTIVE: ReadonlySet<string> = new Set(
  operations.filter(({ payload }) => Object.hasOwn(payload.shape, 'fields')).map(({ name }) => name),
);
const NODE_FIELD_NAMES = Object.keys(wireNode.shape);

/** Repeats a read with some fields. Its nodes must be the same, with these fields only (NGET3). */
async function compareSelected(
  { worker, pick }: Look,
  user: ModelUser | null,
  event: string,
  payload: object,
  whole: Body,
): Promise<void> {
  const fields = NODE_FIELD_NAMES.filter((_, index) => (pick >> (index % 16)) % 2 === 1);
  const reply = await worker.ask(user, event, { ...payload, fields });
  const names = new Set([...fields, 'id', 'version']);
  const nodes = ((whole.nodes ?? []) as Entity[]).map((node) =>
    Object.fromEntries(Object.entries(node).filter(([name]) => names.has(name))),
  );
  const selected = reply.ok ? (reply.body.nodes ?? []) : reply;
  expect({ event, payload, fields, selected }).toEqual({ event, payload, fields, selected: nodes });
}

/** The `horizon` of a worker whose history is read only while no command is being committed. */
export const wholeHistory = async (): Promise<string> => '~';

/** The page size of a comparison. */
export function limitOf(pick: number): number {
  return [5_000, 7, 23][pick % 3] as number;
}

export async function walk(look: Look, user: ModelUser | null, event: string, payload: object): Promise<Body> {
  const found = { nodes: [] as Entity[], links: [] as Entity[] };
  const limit = limitOf(look.pick);
  let position: unknown;
  for (let after: unknown = null; ; ) {
    const page = await ask(look, user, event, { ...payload, limit, ...(after === null ? {} : { after }) });
    if ('error' in page) return page;
    if (after === null) position = page.position;
    found.nodes.push(...(page.nodes as Entity[]));
    found.links.push(...(page.links as Entity[]));
    after = page.next;
    if (after === null) return { ...page, ...found, position };
  }
}
