// The fans of an open picture: which are open, which tasks the reader goes to, and when changed tasks
// bring other leaves to the front. Rule: CON38.
import type { Entity } from '@taskgraph/client';
import { type Task, taskOf } from '../graph/task.ts';
import { compareLeaves } from '../graph/urgency.ts';
import { type FanChoice, isFanStale, isOpen, type SceneFan } from './fans.ts';
import type { PlacedScene, Scene } from './scene.ts';

interface FanStateOptions {
  /** The ids of the fans that the reader has opened. It is changed. */
  readonly openFans: Set<string>;
  /** The present tasks. */
  readonly nodes: () => ReadonlyMap<string, Entity>;
  readonly scene: () => PlacedScene | null;
  /** The task whose card has the focus. */
  readonly focused: () => string | null;
  /** Other cards show. */
  readonly changed: () => void;
}

interface Marks {
  readonly chosen: string | null;
  readonly selection: ReadonlySet<string>;
}

export interface FanState {
  choice(): FanChoice;
  /** Records the fans of a new scene. Returns the card of the one that the reader has opened or folded since the last. */
  recordScene(scene: Scene): string | null;
  /** Records a changed task. Returns whether the fans may be stale. */
  touch(before: Task, after: Task): boolean;
  /** Whether the tasks that changed since the last call bring other leaves of their fans to the front. */
  areStale(): boolean;
  fanOf(card: string): SceneFan | null;
  toggle(card: string): void;
  /** Opens the fans that hide a task that is chosen or selected now, and was not before. */
  follow(marks: Marks): void;
}

export function createFanState({ openFans, nodes, scene, focused, changed }: FanStateOptions): FanState {
  let marks: Marks = { chosen: null, selection: new Set() };
  /** Tasks that the next scene is to reveal while they are chosen or selected. */
  const toReveal = new Set<string>();
  /** Changed tasks. A fan may have many leaves, so it is checked once for all of them. */
  const touched = new Set<string>();
  let toggled: string | null = null;

  function choice(): FanChoice {
    const { chosen, selection } = marks;
    const kept = [chosen, focused()].filter((id) => id !== null && scene()?.numberOf.has(id) === true);
    return {
      isOpen: (fan) => openFans.has(fan),
      staysVisible: (id) => kept.includes(id),
      isRevealed(hidden) {
        if (toReveal.size === 0) return false;
        // The card of a fan shows as well that all of its tasks are selected.
        const isWhole = hidden.every((id) => selection.has(id));
        return hidden.some((id) => toReveal.has(id) && (id === chosen || (selection.has(id) && !isWhole)));
      },
    };
  }

  function fanOf(card: string): SceneFan | null {
    return scene()?.fans.get(scene()?.numberOf.get(card) ?? -1) ?? null;
  }

  return {
    choice,
    recordScene({ fans, all }) {
      for (const fan of fans.values()) if (isOpen(fan)) openFans.add(fan.id);
      // The others may still come.
      for (const id of toReveal) if (all.numberOf.has(id)) toReveal.delete(id);
      const card = toggled;
      toggled = null;
      return card;
    },
    touch(before, after) {
      if (compareLeaves(before, after) === 0) return false;
      touched.add(after.id);
      return true;
    },
    areStale() {
      if (touched.size === 0) return false;
      const changes = new Set(touched);
      touched.clear();
      const [present, { staysVisible }] = [nodes(), choice()];
      const taskWith = (id: string) => {
        const node = present.get(id);
        return node === undefined ? undefined : taskOf(node);
      };
      return Array.from(scene()?.fans.values() ?? []).some(
        (fan) => fan.leaves.some((id) => changes.has(id)) && isFanStale(fan, taskWith, staysVisible),
      );
    },
    fanOf,
    toggle(card) {
      if (fanOf(card) === null) return;
      toggled = card;
      if (!openFans.delete(card)) openFans.add(card);
      changed();
    },
    follow(next) {
      const before = marks;
      marks = next;
      if (before.chosen === next.chosen && before.selection === next.selection) return;
      const { chosen, selection } = next;
      for (const id of toReveal) if (id !== chosen && !selection.has(id)) toReveal.delete(id);
      const ids = [...selection].filter((id) => !before.selection.has(id));
      if (chosen !== null && chosen !== before.chosen) ids.push(chosen);
      const hidden = ids.filter((id) => scene()?.numberOf.has(id) !== true);
      for (const id of hidden) toReveal.add(id);
      // The coming of a task that is not there yet changes the picture anyway.
      if (hidden.some((id) => nodes().has(id))) changed();
    },
  };
}
