// Fans in the picture: which leaves of a task show, and the cards that stand for the others. What is
// open belongs to the page, not to the graph. Rule: CON38.
import type { Task } from '../graph/task.ts';
import { compareLeaves } from '../graph/urgency.ts';
import { type Fan, type FannedGraph, fansOf, firstLeaves, foldFans } from '../layout/fans.ts';
import type { GraphArrays } from '../layout/graph-arrays.ts';
import { graphTexts } from '../messages/texts/graph.ts';

export interface SceneFan {
  /** Of its card; no task has such an id. */
  readonly id: string;
  /** The task whose leaves they are. */
  readonly task: string;
  readonly side: Fan['side'];
  readonly leaves: readonly string[];
  /** The leaves for which its card stands; none while it is open. */
  readonly hidden: readonly string[];
}

export function isOpen({ hidden }: SceneFan): boolean {
  return hidden.length === 0;
}

/** Which fans are open, and which leaves show in any case. */
export interface FanChoice {
  isOpen(fan: string): boolean;
  /** Whether the reader is at the card of a task: then it stays. */
  staysVisible(task: string): boolean;
  /** Whether the reader goes to one of these tasks: a fan that would hide them opens. */
  isRevealed(hidden: readonly string[]): boolean;
}

export const ALL_FOLDED: FanChoice = { isOpen: () => false, staysVisible: () => false, isRevealed: () => false };

interface FannableScene {
  readonly ids: readonly string[];
  readonly tasks: readonly (Task | undefined)[];
  readonly graph: GraphArrays;
  readonly types: Uint8Array;
  readonly counts: Int32Array;
}

/** The shown part of a scene, and its fans by the numbers of their cards; null if it has no fans. */
export function fanScene(
  scene: FannableScene,
  isLeaf: (node: number) => boolean,
  choice: FanChoice,
): { readonly fanned: FannedGraph; readonly fans: readonly SceneFan[] } | null {
  const found = fansOf(scene, isLeaf);
  if (found.length === 0) return null;
  const idOf = (node: number) => scene.ids[node] as string;
  const isFirst = (one: number, other: number) =>
    comesBefore(scene.tasks[one] as Task, scene.tasks[other] as Task, choice.staysVisible);
  const hidden: number[][] = [];
  const fans = found.map(({ node, side, leaves }): SceneFan => {
    const id = `${side}:${idOf(node)}`;
    const first = firstLeaves(leaves, isFirst);
    const rest = leaves.filter((leaf) => !first.includes(leaf));
    const own = choice.isOpen(id) || choice.isRevealed(rest.map(idOf)) ? [] : rest;
    hidden.push(own);
    return { id, task: idOf(node), side, leaves: leaves.map(idOf), hidden: own.map(idOf) };
  });
  return { fanned: foldFans(scene, found, hidden), fans };
}

/** Whether other leaves of a fan come first, now that their tasks have changed. */
export function isFanStale(
  fan: SceneFan,
  taskOf: (id: string) => Task | undefined,
  staysVisible: FanChoice['staysVisible'],
): boolean {
  if (isOpen(fan)) return false;
  const { leaves, hidden } = fan;
  const tasks = leaves.flatMap((id) => taskOf(id) ?? []);
  const first = firstLeaves([...tasks.keys()], (one, other) =>
    comesBefore(tasks[one] as Task, tasks[other] as Task, staysVisible),
  );
  const folded = new Set(hidden);
  return first.some((place) => folded.has((tasks[place] as Task).id));
}

function comesBefore(one: Task, other: Task, staysVisible: FanChoice['staysVisible']): boolean {
  return (Number(staysVisible(other.id)) - Number(staysVisible(one.id)) || compareLeaves(one, other)) < 0;
}

/** The folded fans by the numbers of their cards, with those of their hidden leaves that meet the filter. */
export function limitFans(
  fans: ReadonlyMap<number, SceneFan>,
  shown: { has(id: string): boolean },
): ReadonlyMap<number, SceneFan> {
  const limited = new Map<number, SceneFan>();
  for (const [number, fan] of fans) {
    const hidden = fan.hidden.filter((id) => shown.has(id));
    if (hidden.length > 0) limited.set(number, { ...fan, hidden });
  }
  return limited;
}

/** The text of the card of a fan. */
export function fanTitle(fan: SceneFan): string {
  return isOpen(fan) ? graphTexts.fewer : graphTexts.moreTasks(fan.hidden.length);
}

/** Whether none of the leaves for which a card stands meets the filter. */
export function isFanOutside(fan: SceneFan, matches: { has(id: string): boolean } | null): boolean {
  return matches !== null && !isOpen(fan) && !fan.hidden.some((id) => matches.has(id));
}

export function isFanSelected(fan: SceneFan, selection: ReadonlySet<string>): boolean {
  return !isOpen(fan) && fan.hidden.every((id) => selection.has(id));
}
