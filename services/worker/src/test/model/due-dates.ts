// Compares the due dates that a webhook of a reader reports with the reference model. Rules: HOOK2, HOOK5, HOOK6,
// HOOK7.
import { changesSinceDue, dueIn, type ModelDuePosition, type ModelDueSearch } from '@taskgraph/reference-model/due';
import type { ModelUser } from '@taskgraph/reference-model/state';
import fc from 'fast-check';
import { expect } from 'vitest';
import { ask, type Look } from './checked-reads.ts';
import { searchOf } from './searches.ts';

/** Random searches of a reader in one comparison, after that for all dates without a filter. */
const FILTERS = 3;
const EARLIEST: ModelDuePosition = { time: '2000-01-01T00:00:00.000Z', id: '' };
/** The webhook of the requests, which does not have to exist. */
const HOOK = '01890000-0000-7123-8000-000000000004';
/** Below the changes since its date, of one node and of all nodes, that the service reads for a message (HOOK5). */
const MOST_CHANGES = { node: 45, all: 450 } as const;

export async function compareDueDates(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const changes = state.nodes.map((node) => changesSinceDue(state, node));
  const sum = changes.reduce((one, other) => one + other, 0);
  if (sum > MOST_CHANGES.all || changes.some((count) => count > MOST_CHANGES.node)) return;
  const all = { after: EARLIEST, to: { time: now, id: '' } };
  const some = fc.sample(dueSearchOf(look), { seed: look.pick, numRuns: FILTERS });
  for (const search of [all, ...some]) await compareOne(look, user, search);
}

async function compareOne(look: Look, user: ModelUser, search: ModelDueSearch): Promise<void> {
  const expected = dueIn(look.moment.state, user, search, look.moment.now);
  const asked = { reader: user.username, search };
  const events = expected.map(({ after, ...event }) => ({ ...event, after: withSortedRoots(after) }));
  // A message has nothing else: the search may end at a date that the reader does not see.
  const data = { hook: HOOK, events };
  const content = await messageOf(look, user, search);
  expect({ ...asked, content: content === null ? null : sorted(content) }).toEqual({
    ...asked,
    content: events.length === 0 ? null : { type: 'graph.due', data },
  });
}

interface DueContent {
  readonly type: string;
  readonly data: { readonly events: readonly { readonly after: { readonly shareRoots: readonly string[] } }[] };
}

/** The content of the message, as jobs build it: a search, and then a read of the nodes that it has found. */
async function messageOf(look: Look, user: ModelUser, search: ModelDueSearch): Promise<DueContent | null> {
  const { after, to, root = null, where } = search;
  const filter = { hook: HOOK, root, where: where === undefined ? null : JSON.stringify(where) };
  const nodes: ModelDuePosition[] = [];
  for (let [from, bytes, isOver] = [after, 0, false]; !isOver; ) {
    const progress = { from, until: to.time, count: nodes.length, bytes };
    const found = await ask(look, user, 'webhook:due-search', { ...filter, ...progress });
    expect(found).toMatchObject({ state: expect.stringMatching(/^(continued|ended)$/) });
    nodes.push(...(found.nodes as ModelDuePosition[]));
    [from, bytes, isOver] = [found.to as ModelDuePosition, found.bytes as number, found.state === 'ended'];
  }
  if (nodes.length === 0) return null;
  const { content, error } = await ask(look, user, 'webhook:due', { ...filter, nodes });
  expect(error).toBeUndefined();
  return content as DueContent | null;
}

function sorted({ data, ...content }: DueContent) {
  const events = data.events.map(({ after, ...event }) => ({ ...event, after: withSortedRoots(after) }));
  return { ...content, data: { ...data, events } };
}

function withSortedRoots<F extends { shareRoots: readonly string[] }>(fields: F) {
  return { ...fields, shareRoots: [...fields.shareRoots].sort() };
}

/** Searches between the dates of nodes that have passed, with the branches and conditions of random searches. */
function dueSearchOf(look: Look): fc.Arbitrary<ModelDueSearch> {
  const { state, now } = look.moment;
  const passed = state.nodes.flatMap(({ id, dueDate }) =>
    dueDate !== null && dueDate < now ? [{ time: dueDate, id }] : [],
  );
  const after = fc.constantFrom(EARLIEST, EARLIEST, ...passed);
  // A search ends before a time.
  const to = fc.constantFrom(now, now, ...passed.map(({ time }) => time));
  return fc.tuple(after, to, searchOf(look), fc.nat(3)).map(([one, time, { root, where }, kind]) => {
    const isOrdered = one.time <= time;
    return {
      after: isOrdered ? one : EARLIEST,
      to: { time, id: '' },
      ...(root === undefined || kind === 0 ? {} : { root }),
      ...(where === undefined || kind === 1 ? {} : { where }),
    };
  });
}
