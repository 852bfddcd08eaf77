// Compares random searches with the reference model. Rules: FIND1 to FIND7.
import { findIn, type ModelConditions, type ModelSearch } from '@taskgraph/reference-model/find';
import type { ModelNode, ModelUser } from '@taskgraph/reference-model/state';
import fc from 'fast-check';
import { expect } from 'vitest';
import { ask, type Look } from './checked-reads.ts';

/** Random searches of a reader in one comparison. `npm run test:model -- --searches N` sets it. */
const SEARCHES = Number(process.env.MODEL_SEARCHES ?? 4);

export async function compareSearches(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const searches = fc.sample(searchOf(look), { seed: look.pick, numRuns: SEARCHES });
  for (const search of searches) {
    const expected = findIn(state, user, search, now);
    const found = await findAll(look, user, search);
    const asked = { reader: user.username, search };
    if ('error' in expected) expect({ ...asked, found }).toEqual({ ...asked, found: expected.error });
    else expect({ ...asked, found }).toEqual({ ...asked, found: expected.map(({ id }) => id) });
  }
}

/** The ids of all pages, or the code of the refusal. */
async function findAll(look: Look, user: ModelUser, search: ModelSearch): Promise<string[] | string> {
  const ids: string[] = [];
  const limit = [50, 500, 3][look.pick % 3] as number;
  for (let after: unknown = null; ; ) {
    const page = await ask(look, user, 'node:find', { ...search, limit, ...(after === null ? {} : { after }) });
    if ('error' in page) return page.error as string;
    ids.push(...(page.nodes as { id: string }[]).map(({ id }) => id));
    expect(page.hasMore).toBe(page.next !== null);
    after = page.next;
    if (after === null) return ids;
  }
}

/** Random searches. Most of their values are those of existing nodes. */
export function searchOf({ moment: { state, now }, users }: Look): fc.Arbitrary<ModelSearch> {
  const of = <T>(value: (node: ModelNode) => T | readonly T[], other: T): fc.Arbitrary<T> =>
    fc.constantFrom(...new Set([other, ...state.nodes.flatMap((node) => value(node))]));
  const id = of((node) => node.id, '01890000-0000-7123-8000-000000000003');
  const name = fc.constantFrom('me', 'nobody', ...users.map(({ username }) => username));
  const times = (value: (node: ModelNode) => string | null) => {
    const time = of((node) => value(node) ?? now, now);
    return fc.record({ from: time, to: time }, { requiredKeys: [] });
  };
  const numbers = (value: (node: ModelNode) => number) => {
    const number = of(value, 1);
    return fc.record({ min: number, max: number }, { requiredKeys: [] });
  };
  const values = (value: fc.Arbitrary<string>) => {
    const list = fc.array(value, { maxLength: 2 });
    return fc.oneof(list, fc.record({ all: list }));
  };
  const all: { readonly [Name in keyof Required<ModelConditions>]: fc.Arbitrary<Required<ModelConditions>[Name]> } = {
    id: fc.array(
      of((node) => node.id.slice(-5), '00000'),
      { maxLength: 2 },
    ),
    title: fc.array(
      of((node) => [node.title, node.title.toUpperCase()], 'no title'),
      { maxLength: 2 },
    ),
    status: fc.subarray([0, 1, 2, 3]),
    tag: values(of((node) => node.tags, 'a tag')),
    assignee: values(
      fc.oneof(
        name,
        of((node) => node.assignee, 'me'),
      ),
    ),
    owner: name,
    priority: numbers((node) => node.priority),
    volume: numbers((node) => node.volume),
    due: fc.oneof(
      times((node) => node.dueDate),
      fc.constant('none' as const),
    ),
    overdue: fc.boolean(),
    created: times((node) => node.createdTime),
    edited: times((node) => node.lastEditedTime),
    completed: times((node) => node.completedTime),
    ready: fc.boolean(),
    blocked: fc.boolean(),
    blocks: id,
    waitsFor: id,
    leaf: fc.boolean(),
    top: fc.boolean(),
    unlinked: fc.boolean(),
    level: fc.subarray([0, 1, 2, 3]),
    published: fc.boolean(),
  };
  const names = Object.keys(all) as (keyof ModelConditions)[];
  /** Few conditions, so that most searches find something. */
  const conditions = fc
    .subarray(names, { maxLength: 2 })
    .chain(
      (some) => fc.record(Object.fromEntries(some.map((one) => [one, all[one]]))) as fc.Arbitrary<ModelConditions>,
    );
  const where = fc
    .tuple(conditions, fc.option(fc.array(conditions, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }))
    .map(([one, any]) => (any === undefined ? one : { ...one, any }));
  const word = of((node) => wordsIn(`${node.title} ${node.tags.join(' ')} ${node.description}`), 'none');
  return fc.record(
    {
      root: id,
      text: fc.array(word, { maxLength: 2 }).map((some) => some.join(' ')),
      where,
      sort: fc.constantFrom('due', 'priority', 'edited', 'created', 'completed', 'title'),
      order: fc.constantFrom('asc', 'desc'),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ModelSearch>;
}

/** Some beginnings of words that fit into a search. */
function wordsIn(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => [...word].slice(0, 12).join(''))
    .slice(0, 8);
}
