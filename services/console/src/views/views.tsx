// The views of the sidebar, which are loaded when the reader opens them.
import { type ComponentType, lazy } from 'react';
import type { ViewName } from '../routes.ts';

export interface ViewProps {
  /** The task whose panel is open. */
  readonly chosen: string | null;
}

interface View {
  readonly sign: string;
  readonly Component: ComponentType<ViewProps>;
}

export const VIEWS: Readonly<Record<ViewName, View>> = {
  ready: {
    sign: '▸',
    Component: lazy(() => import('./ready.tsx').then((module) => ({ default: module.ReadyView }))),
  },
  graph: {
    sign: '◇',
    Component: lazy(() => import('./graph/graph.tsx').then((module) => ({ default: module.GraphView }))),
  },
  outline: {
    sign: '☰',
    Component: lazy(() => import('./outline/outline.tsx').then((module) => ({ default: module.OutlineView }))),
  },
  board: {
    sign: '▥',
    Component: lazy(() => import('./board/board.tsx').then((module) => ({ default: module.BoardView }))),
  },
  plan: {
    sign: '▤',
    Component: lazy(() => import('./plan/plan.tsx').then((module) => ({ default: module.PlanView }))),
  },
  history: {
    sign: '↶',
    Component: lazy(() => import('./history.tsx').then((module) => ({ default: module.HistoryView }))),
  },
  trash: {
    sign: '♺',
    Component: lazy(() => import('./trash.tsx').then((module) => ({ default: module.TrashView }))),
  },
  shared: {
    sign: '⚇',
    Component: lazy(() => import('./shared/shared.tsx').then((module) => ({ default: module.SharedView }))),
  },
  settings: {
    sign: '⚙',
    Component: lazy(() => import('./settings/settings.tsx').then((module) => ({ default: module.SettingsView }))),
  },
};
