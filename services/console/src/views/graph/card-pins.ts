// The pins of cards in the picture: the reader drags a card, or moves it with Alt, Shift and the arrow
// keys. The card shows where the reader puts it. On release, the command that pins it is sent.
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

interface CardPins {
  /** Begins a drag; null if the reader may not move the card. */
  startDrag(id: string): CardMove | null;
  /** Moves a card by one step. `endSteps` pins it. */
  step(id: string, direction: Direction): void;
  /** Pins the card that keys have moved. */
  endSteps(): void;
  /** Unpins all shown cards. */
  unpinAll(): void;
}

export function useCardPins(picture: GraphPicture | null): CardPins {
  const { replica, graph } = useWorkspace();
  const shown = useShownTasks();
  const stepped = useRef<string | null>(null);
  const pins = useMemo((): CardPins => {
    const taskToMove = (id: string) => {
      const task = graph.task(id);
      if (task === undefined || mayEdit(task)) return task;
      note('refused', `${messages.quoted(titleOf(task))}: ${messages.panel.viewOnly}`);
      return undefined;
    };
    const pin = (id: string) => {
      const [task, place] = [graph.task(id), picture?.placeOf(id)];
      if (task === undefined || place === null || place === undefined) return picture?.cancelMove(id);
      const target = { x: Math.round(place.x), y: Math.round(place.y) };
      // The picture shows the card there until the layout has the pin.
      picture?.moveCard(id, target);
      void pinTask(replica, task, target).then((isPinned) =>
        isPinned ? picture?.confirmMove(id) : picture?.cancelMove(id),
      );
    };
    return {
      startDrag(id) {
        const start = picture?.placeOf(id);
        if (picture === null || start === null || start === undefined || taskToMove(id) === undefined) return null;
        return {
          move(dx, dy) {
            const scale = picture.scale();
            picture.moveCard(id, { x: start.x + dx / scale, y: start.y + dy / scale });
          },
          drop: () => pin(id),
          cancel: () => picture.cancelMove(id),
        };
      },
      step(id, direction) {
        if (stepped.current !== null && stepped.current !== id) pin(stepped.current);
        const place = picture?.placeOf(id);
        if (place === null || place === undefined || taskToMove(id) === undefined) return;
        stepped.current = id;
        picture?.moveCard(id, { x: place.x + STEPS[direction].x, y: place.y + STEPS[direction].y });
        picture?.show(id);
      },
      endSteps() {
        if (stepped.current !== null) pin(stepped.current);
        stepped.current = null;
      },
      unpinAll() {
        const tasks = (picture?.pinned() ?? []).flatMap((id) => (shown.has(id) ? (graph.task(id) ?? []) : []));
        void unpinTasks(replica, tasks);
      },
    };
  }, [picture, replica, graph, shown]);
  // A card that keys have moved is pinned also if the reader leaves the view.
  const endSteps = useRef(pins.endSteps);
  endSteps.current = pins.endSteps;
  useEffect(() => () => endSteps.current(), []);
  return pins;
}
