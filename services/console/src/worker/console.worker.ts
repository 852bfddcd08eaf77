// The work off the main thread: layouts and plans. Each worker of the page does one of them. A
// request has one answer, in order.
import type { GraphArrays } from '../layout/graph-arrays.ts';
import { changedLayout, type EarlierPositions } from '../layout/layout.ts';
import type { Pins } from '../layout/pins.ts';
import { createPlanner, type PlanChanges } from '../plan/planner.ts';

export type WorkRequest =
  | { readonly kind: 'layout'; readonly graph: GraphArrays; readonly earlier: EarlierPositions; readonly pins: Pins }
  | { readonly kind: 'plan'; readonly changes: PlanChanges };

/** What this file uses of the scope of a worker, whose types would replace those of a page. */
interface WorkerScope {
  addEventListener(type: 'message', listener: (event: MessageEvent<WorkRequest>) => void): void;
  postMessage(message: unknown, transfer?: Transferable[]): void;
}

const scope = self as unknown as WorkerScope;
const planner = createPlanner();

scope.addEventListener('message', ({ data }) => {
  switch (data.kind) {
    case 'layout': {
      const layout = changedLayout(data.graph, data.earlier, data.pins);
      const { columns, xs, rows, bendOffsets, bendRows } = layout;
      return scope.postMessage(layout, [columns.buffer, xs.buffer, rows.buffer, bendOffsets.buffer, bendRows.buffer]);
    }
    case 'plan': {
      const answer = planner.change(data.changes);
      return scope.postMessage(answer, answer.kind === 'plan' ? [answer.times.buffer] : []);
    }
  }
});
