// Lays out graphs off the main thread. Each request has one answer, in order.
import type { GraphArrays } from './graph-arrays.ts';
import { changedLayout, type EarlierPositions, type Layout } from './layout.ts';

export interface LayoutRequest {
  readonly graph: GraphArrays;
  readonly earlier: EarlierPositions;
}

/** What this file uses of the scope of a worker, whose types would replace those of a page. */
interface WorkerScope {
  addEventListener(type: 'message', listener: (event: MessageEvent<LayoutRequest>) => void): void;
  postMessage(message: Layout, transfer: Transferable[]): void;
}

const scope = self as unknown as WorkerScope;
scope.addEventListener('message', ({ data: { graph, earlier } }) => {
  const layout = changedLayout(graph, earlier);
  const { columns, rows, bendOffsets, bendRows } = layout;
  scope.postMessage(layout, [columns.buffer, rows.buffer, bendOffsets.buffer, bendRows.buffer]);
});
