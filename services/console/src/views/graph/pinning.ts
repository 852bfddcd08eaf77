// Pinning cards in the picture: the reader drags a card, or moves it with Alt, Shift and the arrow
// keys. The card shows where the reader has put it; the service learns it when they let go.
// Rule: CON22.
import { useEffect, useMemo, useRef } from 'react';
import { mayEdit } from '../../graph/task.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import type { Point } from '../../picture/camera.ts';
import type { CardMove } from '../../picture/card-moves.ts';
import type { Direction, GraphPicture } from '../../picture/graph-picture.ts';
import { note } from '../../session/notices.ts';
import { pinTask, unpinTasks } from '../../session/placement.ts';
import { useShownTasks } from '../../session/shown-tasks.tsx';
import { useWorkspace } from '../../session/workspace.tsx';

/** Pixels of the picture by which a key moves a card: half a row. */
const STEP = 40;
const STEPS: Readonly<Record<Direction, Point>> = {
  left: { x: -STEP, y: 0 },
  right: { x: STEP, y: 0 },
  up: { x: 0, y: -STEP },
  down: { x: 0, y: STEP },
};

interface Pinning {
  /** Begins a drag; null if the reader may not move the card. */
  drag(id: string): CardMove | null;
  /** Moves a card by one step. It is pinned by `settle`. */
  step(id: string, direction: Direction): void;
  /** Pins the card that keys have moved. */
  settle(): void;
  /** Unpins all shown cards. */
  tidy(): void;
}

export function usePinning(picture: GraphPicture | null): Pinning {
  const { replica, graph } = useWorkspace();
  const shown = useShownTasks();
  const stepped = useRef<string | null>(null);
  const pinning = useMemo((): Pinning => {
    const taskToMove = (id: string) => {
      const task = graph.task(id);
      if (task === undefined || mayEdit(task)) return task;
      note('refused', `${messages.quoted(titleOf(task))}: ${messages.panel.viewOnly}`);
      return undefined;
    };
    const pin = (id: string) => {
      const [task, place] = [graph.task(id), picture?.placeOf(id)];
      if (task === undefined || place === null || place === undefined) return picture?.release(id);
      const target = { x: Math.round(place.x), y: Math.round(place.y) };
      picture?.hold(id, target);
      // Until the layout has the pin, the picture holds the card.
      void pinTask(replica, task, target).then((isPinned) => (isPinned ? picture?.settle(id) : picture?.release(id)));
    };
    return {
      drag(id) {
        const start = picture?.placeOf(id);
        if (picture === null || start === null || start === undefined || taskToMove(id) === undefined) return null;
        return {
          move(dx, dy) {
            const scale = picture.scale();
            picture.hold(id, { x: start.x + dx / scale, y: start.y + dy / scale });
          },
          drop: () => pin(id),
          cancel: () => picture.release(id),
        };
      },
      step(id, direction) {
        if (stepped.current !== null && stepped.current !== id) pin(stepped.current);
        const place = picture?.placeOf(id);
        if (place === null || place === undefined || taskToMove(id) === undefined) return;
        stepped.current = id;
        picture?.hold(id, { x: place.x + STEPS[direction].x, y: place.y + STEPS[direction].y });
        picture?.show(id);
      },
      settle() {
        if (stepped.current !== null) pin(stepped.current);
        stepped.current = null;
      },
      tidy() {
        const tasks = (picture?.pinned() ?? []).flatMap((id) => (shown.has(id) ? (graph.task(id) ?? []) : []));
        void unpinTasks(replica, tasks);
      },
    };
  }, [picture, replica, graph, shown]);
  // A card that keys have moved is pinned also if the reader leaves the view.
  const settle = useRef(pinning.settle);
  settle.current = pinning.settle;
  useEffect(() => () => settle.current(), []);
  return pinning;
}
