import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReadableGraph } from './blockers.ts';
import type { Link, Task } from './task.ts';
import { type Answer, createForecast, type EarliestTimes, type Question } from './what-if.ts';

interface TestTask {
  readonly volume: number;
  readonly independent?: boolean;
  readonly status?: number;
}

/** Tasks by letter; `ab` is a primary link from `a` to `b`. */
function graphOf(tasks: Readonly<Record<string, TestTask>>, ends: readonly string[]): ReadableGraph {
  const links = ends.map((text, index): Link => {
    const [source = '', target = ''] = text;
    return { id: String(1_000 + index), source, target, type: 0 };
  });
  return {
    incoming: (id) => links.filter(({ target }) => target === id),
    outgoing: (id) => links.filter(({ source }) => source === id),
    task: (id) => (tasks[id] === undefined ? undefined : ({ id, ...tasks[id] } as unknown as Task)),
  };
}

/** The earliest times by definition: after each visible predecessor, unless independent. */
function timesOf(graph: ReadableGraph, ids: readonly string[], volumes: Readonly<Record<string, number>> = {}) {
  const finish = (id: string): number => start(id) + lengthOf(id);
  const lengthOf = (id: string) => {
    const task = graph.task(id);
    return task?.status === 3 ? 0 : (volumes[id] ?? task?.volume ?? 0);
  };
  const start = (id: string): number => {
    if (graph.task(id)?.independent === true) return 0;
    const sources = graph.incoming(id).filter(({ source, type }) => type === 0 && ids.includes(source));
    return Math.max(0, ...sources.map(({ source }) => finish(source)));
  };
  return new Map(
    ids.map((id): [string, EarliestTimes] => [id, { earliestStart: start(id), earliestFinish: finish(id) }]),
  );
}

function answerTo(graph: ReadableGraph, planned: ReadonlyMap<string, EarliestTimes>, question: Question): Answer {
  return createForecast(graph, planned).answer(question) as Answer;
}

test('[CON12] a longer task moves what waits for it, and the end', () => {
  const graph = graphOf({ a: { volume: 2 }, b: { volume: 3 }, c: { volume: 1 }, d: { volume: 4 } }, ['ab', 'bc', 'dc']);
  const planned = timesOf(graph, [...'abcd']);
  const longer = answerTo(graph, planned, { id: 'a', volume: 5 });
  expect([longer.before, longer.after, longer.moved]).toEqual([6, 9, 2]);
  expect(longer.timesOf('c')).toEqual({ earliestStart: 8, earliestFinish: 9 });
  const shorter = answerTo(graph, planned, { id: 'a', volume: 0 });
  expect([shorter.after, [...shorter.ids].sort()]).toEqual([5, ['a', 'b', 'c']]);
  expect(answerTo(graph, planned, { id: 'd', volume: 5 })).toMatchObject({ after: 6, moved: 0 });
  expect(createForecast(graph, planned).answer({ id: 'x', volume: 5 })).toBeNull();
});

test('[CON12] independent, completed and invisible tasks do not move', () => {
  const tasks = {
    a: { volume: 2 },
    b: { volume: 3, independent: true },
    c: { volume: 1, status: 3 },
    d: { volume: 1 },
  };
  const graph = graphOf(tasks, ['ab', 'ac', 'cd', 'ax', 'xd']);
  const answer = answerTo(graph, timesOf(graph, [...'abcd']), { id: 'a', volume: 9 });
  expect([...answer.ids].sort()).toEqual(['a', 'd']);
  expect(answer).toMatchObject({ before: 3, after: 10, moved: 1 });
});

test('[CON12 PLAN2] the answer is the plan of the graph with the other effort', () => {
  const ids = [...'abcdefghij'];
  const link = fc.tuple(fc.nat(9), fc.nat(9)).filter(([one, other]) => one !== other);
  const task = fc.record({ volume: fc.nat(6), independent: fc.boolean(), status: fc.constantFrom(0, 0, 2, 3) });
  const tasks = fc.array(task, { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(tasks, fc.array(link, { maxLength: 25 }), fc.nat(9), fc.nat(12), (list, pairs, place, volume) => {
      // Links lead to later letters, so there is no circle.
      const ends = new Set(
        pairs.map((pair) =>
          pair
            .toSorted((one, other) => one - other)
            .map((at) => ids[at])
            .join(''),
        ),
      );
      const graph = graphOf(Object.fromEntries(list.map((each, index) => [ids[index], each])), [...ends]);
      const id = ids[place] as string;
      fc.pre(graph.task(id)?.status !== 3);
      const planned = timesOf(graph, ids);
      const expected = timesOf(graph, ids, { [id]: volume });
      const { timesOf: movedTo, after } = answerTo(graph, planned, { id, volume });
      for (const each of ids) {
        if (graph.task(each)?.status === 3) continue;
        expect(movedTo(each) ?? planned.get(each), each).toEqual(expected.get(each));
      }
      expect(after).toBe(Math.max(...[...expected.values()].map(({ earliestFinish }) => earliestFinish)));
    }),
  );
});
