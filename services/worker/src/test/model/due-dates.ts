// Compares the due dates that a webhook of a reader reports with the reference model. Rules: HOOK2, HOOK5, HOOK6,
// HOOK7.
import { changesSinceDue, dueIn, type ModelDuePosition, type ModelDueSearch } from '@taskgraph/reference-model/due';
import type { ModelUser } from '@taskgraph/reference-model/state';
import fc from 'fast-check';
import { expect } from 'vitest';
import { ask, type Look } from './checked-reads.ts';
import { searchOf } from './searches.ts';

/** Random ranges and filters of a reader in one comparison, after the range of all dates without a filter. */
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
  const { after: from, to, root = null, where } = search;
  const conditions = where === undefined ? null : JSON.stringify(where);
  const payload = { hook: HOOK, root, where: conditions, from, to };
  const { content, to: end, error } = await ask(look, user, 'webhook:due', payload);
  const expected = dueIn(look.moment.state, user, search, look.moment.now);
  const asked = { reader: user.username, search, error: undefined, end: to };
  const events = expected.map(({ after, ...event }) => ({ ...event, after: withSortedRoots(after) }));
  // A message has nothing else: its range may end at a date that the reader does not see.
  const data = { hook: HOOK, events };
  const found = content as { type: string; data: { events: { after: { shareRoots: string[] } }[] } } | null;
  expect({ ...asked, error, end, content: found === null ? null : sorted(found) }).toEqual({
    ...asked,
    content: events.length === 0 ? null : { type: 'graph.due', data },
  });
}

function sorted<C extends { data: { events: { after: { shareRoots: string[] } }[] } }>({ data, ...content }: C) {
  const events = data.events.map(({ after, ...event }) => ({ ...event, after: withSortedRoots(after) }));
  return { ...content, data: { ...data, events } };
}

function withSortedRoots<F extends { shareRoots: readonly string[] }>(fields: F) {
  return { ...fields, shareRoots: [...fields.shareRoots].sort() };
}

/** Ranges between the dates of nodes that have passed, with the branches and conditions of random searches. */
function dueSearchOf(look: Look): fc.Arbitrary<ModelDueSearch> {
  const { state, now } = look.moment;
  const passed = state.nodes.flatMap(({ id, dueDate }) =>
    dueDate !== null && dueDate < now ? [{ time: dueDate, id }] : [],
  );
  const after = fc.constantFrom(EARLIEST, EARLIEST, ...passed);
  const to = fc.constantFrom({ time: now, id: '' }, { time: now, id: '' }, ...passed);
  return fc.tuple(after, to, searchOf(look), fc.nat(3)).map(([one, other, { root, where }, kind]) => {
    const isOrdered = one.time < other.time || (one.time === other.time && one.id <= other.id);
    return {
      ...(isOrdered ? { after: one, to: other } : { after: other, to: one }),
      ...(root === undefined || kind === 0 ? {} : { root }),
      ...(where === undefined || kind === 1 ? {} : { where }),
    };
  });
}
