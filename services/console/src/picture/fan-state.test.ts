import type { Entity } from '@taskgraph/client';
import { expect, test } from 'vitest';
import type { Task } from '../graph/task.ts';
import { newLayout } from '../layout/layout.ts';
import { createFanState } from './fan-state.ts';
import { type PlacedScene, sceneOf } from './scene.ts';

/** Counts how often tasks are read. */
class CountedNodes extends Map<string, Entity> {
  reads = 0;
  override get(id: string): Entity | undefined {
    this.reads++;
    return super.get(id);
  }
}

/** A picture of a task `z` that waits for leaves, `a000`, `a001` and so on. It is drawn anew by `draw`. */
function openPicture(leaves = 10) {
  const nodes = new CountedNodes();
  const links = new Map<string, Entity>();
  const add = (id: string) => {
    nodes.set(id, { id, version: 1, title: id, status: 0, volume: 0, priority: 0, dueDate: null } as Entity);
    if (id !== 'z') links.set(`l${id}`, { id: `l${id}`, version: 1, source: id, target: 'z', type: 0 } as Entity);
  };
  for (const id of ['z', ...Array.from({ length: leaves }, (_, index) => leafId(index))]) add(id);
  let scene: PlacedScene | null = null;
  let focus: string | null = null;
  let drawings = 0;
  let isToBeDrawn = true;
  const fans = createFanState({
    openFans: new Set(),
    nodes: () => nodes,
    scene: () => scene,
    focused: () => focus,
    changed: () => {
      isToBeDrawn = true;
    },
  });
  return {
    fans,
    nodes,
    add,
    focus(id: string) {
      focus = id;
    },
    change(id: string, fields: Partial<Task>) {
      const before = nodes.get(id) as unknown as Task;
      nodes.set(id, { ...before, ...fields } as unknown as Entity);
      return fans.touch(before, nodes.get(id) as unknown as Task);
    },
    /** Draws what the fans have asked for. Returns whether the fan of `z` is open. */
    draw() {
      if (isToBeDrawn) {
        isToBeDrawn = false;
        drawings++;
        const next = sceneOf({ nodes, links }, fans.choice());
        fans.recordScene(next);
        scene = { ...next, layout: newLayout(next.graph) };
      }
      return fans.fanOf('before:z')?.hidden.length === 0;
    },
    drawings: () => drawings,
    select(chosen: string | null, ids: readonly string[] = []) {
      fans.follow({ chosen, selection: new Set(ids) });
    },
  };
}

const leafId = (index: number) => `a${String(index).padStart(3, '0')}`;

test('[CON38] a fan that the reader has folded stays folded when other tasks are selected', () => {
  const { fans, draw, select } = openPicture();
  expect(draw()).toBe(false);
  select(null, ['a008']);
  expect(draw()).toBe(true);
  fans.toggle('before:z');
  expect(draw()).toBe(false);
  select(null, ['a008', 'z']);
  expect(draw()).toBe(false);
  select('z', ['z']);
  expect(draw()).toBe(false);
  select('z', ['z', 'a008']);
  expect(draw()).toBe(true);
});

test('[CON38] a fan all of whose hidden tasks are selected stays folded, unless one of them is opened', () => {
  const { draw, select } = openPicture();
  const all = Array.from({ length: 10 }, (_, index) => leafId(index));
  select(null, all);
  expect(draw()).toBe(false);
  select('a008', all);
  expect(draw()).toBe(true);
});

test('[CON38] a task that is not there draws nothing anew, and opens its fan if it comes while it is chosen', () => {
  const { add, draw, drawings, select, fans } = openPicture();
  draw();
  select('a999');
  select('a999', ['z']);
  select('a999', ['z', 'a001']);
  draw();
  expect(drawings()).toBe(1);
  add('a999');
  fans.toggle('before:z');
  fans.toggle('before:z');
  expect(draw()).toBe(true);

  const other = openPicture();
  other.draw();
  other.select('a999');
  other.select('z');
  other.add('a999');
  other.fans.toggle('before:z');
  other.fans.toggle('before:z');
  expect(other.draw()).toBe(false);
});

test('[CON38] many changes of leaves are one look at their fan', () => {
  const { fans, nodes, change, draw, focus } = openPicture(2_000);
  draw();
  for (let index = 1_000; index < 1_500; index++) expect(change(leafId(index), { status: 3 })).toBe(true);
  expect(change('a1500', { title: 'Other' })).toBe(false);
  nodes.reads = 0;
  expect(fans.areStale()).toBe(false);
  expect(nodes.reads).toBeLessThanOrEqual(2_000);
  expect([fans.areStale(), nodes.reads <= 2_000]).toEqual([false, true]);
  focus('a001');
  change('a001', { status: 3 });
  expect(fans.areStale()).toBe(false);
  change('a000', { status: 3 });
  expect([fans.areStale(), fans.areStale()]).toEqual([true, false]);
});
