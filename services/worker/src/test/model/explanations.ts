// Compares explanations and plans with the reference model. Rules: WHY1, WHY2, WHY3, PLAN1, PLAN2,
// PLAN3.
import { planOf } from '@taskgraph/reference-model/plan';
import type { ModelUser } from '@taskgraph/reference-model/state';
import { type ShownWay, whyOf } from '@taskgraph/reference-model/why';
import { expect } from 'vitest';
import { ask, type Body, type Look, limitOf } from './checked-reads.ts';

/** Explained nodes of each reader in one comparison. */
const ASKED = 6;

export async function compareWhy(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const { nodes } = state;
  const asked = Array.from({ length: Math.min(ASKED, nodes.length) }, (_, index) => {
    return nodes[(look.pick + index * 7) % nodes.length]?.id as string;
  });
  for (const id of new Set(asked)) {
    for (const all of [false, true]) {
      const { blockedBy, workable, access, ...found } = await ask(look, user, 'node:why', { id, all });
      const told = { reader: user.username, id, all };
      const expected = whyOf(state, user, { id, all }, now);
      if ('error' in expected) {
        expect({ ...told, ...found }).toEqual({ ...told, error: expected.error });
        continue;
      }
      const { hidden, ...should } = expected;
      expect({
        ...told,
        blockedBy,
        workable,
        access: plain(access as AnsweredWay[], expected.access),
        ...found,
      }).toEqual({
        ...told,
        ...should,
        ...(hidden ? { hidden: true } : {}),
        access: should.access.map((way) => plainWay(way, all)).sort(byText),
      });
    }
  }
}

type AnsweredWay = Omit<ShownWay, 'paths'> & { readonly path: readonly (string | null)[] };

/** Any of several shortest paths is a correct answer. */
function plain(told: readonly AnsweredWay[], expected: readonly ShownWay[]): object[] {
  return told
    .map(({ path, ...way }) => {
      const paths = expected.find(({ root, by }) => root === way.root && by === way.by)?.paths ?? [];
      const isOne = paths.some((each) => JSON.stringify(each) === JSON.stringify(path));
      return { ...way, path: isOne ? 'as expected' : path };
    })
    .sort(byText);
}

function plainWay({ paths: _paths, email, ...way }: ShownWay, all: boolean): object {
  return { ...way, ...(all ? { email } : {}), path: 'as expected' };
}

function byText(one: object, other: object): number {
  const [a, b] = [one, other].map((each) => JSON.stringify(Object.entries(each).sort()));
  return (a as string) < (b as string) ? -1 : 1;
}

/** The plans of a reader's whole graph and of a branch. */
export async function comparePlans(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const root = state.nodes[look.pick % Math.max(1, state.nodes.length)]?.id ?? null;
  for (const of of new Set([null, root])) {
    const nodes: unknown[] = [];
    let first: Body = {};
    for (let after: unknown = null, page = 0; page === 0 || after !== null; page++) {
      const asked = {
        limit: limitOf(look.pick),
        ...(of === null ? {} : { root: of }),
        ...(after === null ? {} : { after }),
      };
      const answer = await ask(look, user, 'graph:plan', asked);
      if (page === 0) first = answer;
      nodes.push(...((answer.nodes ?? []) as unknown[]));
      after = answer.next ?? null;
    }
    const { makespan, ready, error } = first;
    const told = { reader: user.username, root: of };
    const expected = planOf(state, user, of, now);
    if ('error' in expected) expect({ ...told, error }).toEqual({ ...told, error: expected.error });
    else expect({ ...told, makespan, nodes, ready }).toEqual({ ...told, ...expected });
  }
}
