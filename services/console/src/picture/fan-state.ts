// The fans of an open picture: which are open, which tasks the reader goes to, and when a change of a
// task brings other leaves to the front. Rule: CON40.
import type { Replica } from '@taskgraph/client';
import { type Task, taskOf } from '../graph/task.ts';
import { compareLeaves } from '../graph/urgency.ts';
import { type FanChoice, isFanStale, isOpen, type SceneFan } from './fans.ts';
import type { PlacedScene, Scene } from './scene.ts';

interface FanStateOptions {
  readonly replica: Replica;
  /** The layer of the elements, of which one may have the focus. */
  readonly layer: HTMLElement;
  /** The ids of the fans that the reader has opened. It is changed. */
  readonly openFans: Set<string>;
  readonly scene: () => PlacedScene | null;
  readonly chosen: () => string | null;
  /** Other cards show. */
  readonly changed: () => void;
}

export interface FanState {
  choice(): FanChoice;
  /** Notes the fans of a new scene. Returns the card of the one that the reader has opened or folded since the last. */
  note(scene: Scene): string | null;
  /** Whether a change of a task brings other leaves of its fan to the front. */
  isStaleBy(before: Task, after: Task): boolean;
  fanOf(card: string): SceneFan | null;
  toggle(card: string): void;
  reveal(ids: Iterable<string>): void;
}

export function createFanState({ replica, layer, openFans, scene, chosen, changed }: FanStateOptions): FanState {
  /** Tasks that the next scene is to reveal. */
  const sought = new Set<string>();
  let toggled: string | null = null;

  function choice(): FanChoice {
    const focused = layer.querySelector<HTMLElement>('[data-task]:focus')?.dataset.task;
    const kept = [chosen(), focused].filter((id) => typeof id === 'string' && scene()?.numberOf.has(id) === true);
    return {
      isOpen: (fan) => openFans.has(fan),
      isKept: (id) => kept.includes(id),
      isSought: (id) => sought.has(id),
    };
  }

  function fanOf(card: string): SceneFan | null {
    return scene()?.fans.get(scene()?.numberOf.get(card) ?? -1) ?? null;
  }

  return {
    choice,
    note({ fans, all }) {
      for (const fan of fans.values()) if (isOpen(fan)) openFans.add(fan.id);
      // The others may still come.
      for (const id of sought) if (all.numberOf.has(id)) sought.delete(id);
      const card = toggled;
      toggled = null;
      return card;
    },
    isStaleBy(before, after) {
      const fans = scene()?.fans;
      if (fans === undefined || fans.size === 0 || compareLeaves(before, after) === 0) return false;
      const fan = [...fans.values()].find(({ leaves }) => leaves.includes(after.id));
      if (fan === undefined) return false;
      const { nodes } = replica.snapshot();
      const taskWith = (id: string) => {
        const node = nodes.get(id);
        return node === undefined ? undefined : taskOf(node);
      };
      return isFanStale(fan, taskWith, choice().isKept);
    },
    fanOf,
    toggle(card) {
      if (fanOf(card) === null) return;
      toggled = card;
      if (!openFans.delete(card)) openFans.add(card);
      changed();
    },
    reveal(ids) {
      for (const id of ids) if (scene()?.numberOf.has(id) !== true) sought.add(id);
      if (sought.size > 0) changed();
    },
  };
}
