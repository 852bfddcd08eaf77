// The picture of a graph outside of React: it follows a replica, requests layouts, moves the camera,
// and paints at most once a frame.
import type { Replica } from '@taskgraph/client';
import { taskOf } from '../graph/task.ts';
import { at } from '../layout/graph-arrays.ts';
import type { Layout } from '../layout/layout.ts';
import { CARD_HEIGHT, CARD_WIDTH, COLUMN_WIDTH } from '../layout/rows.ts';
import type { WorkRequest } from '../worker/console.worker.ts';
import { startWorker } from '../worker/work-client.ts';
import {
  type Area,
  type Camera,
  fitArea,
  type Point,
  pan,
  reveal,
  type Size,
  shownArea,
  toWorld,
  zoomAt,
} from './camera.ts';
import { cardsIn, type Highlights, NEAR_SCALE, paint, type Theme } from './painter.ts';
import { earlierPositions, type PlacedScene, type Scene, sceneOf } from './scene.ts';

/** More cards than that are drawn, not elements. */
const MOST_ELEMENTS = 260;

/** What the elements over the canvas show. */
export interface NearCards {
  readonly scene: PlacedScene;
  /** The numbers of the nodes with an element. */
  readonly nodes: readonly number[];
}

export interface GraphPicture {
  /** The present cards; the same object until they change. Null before the first layout. */
  cards(): NearCards | null;
  subscribe(changed: () => void): () => void;
  resize(size: Size): void;
  panBy(dx: number, dy: number): void;
  /** `point`: what stays in place; by default the centre. */
  zoomBy(factor: number, point?: Point): void;
  fit(): void;
  /** Moves the camera as little as needed to show a node. */
  show(id: string): void;
  /** The node at a point of the view. */
  nodeAt(point: Point): string | null;
  /** The next node in a direction: along a link to the left and right, in the column up and down. */
  neighbour(id: string, direction: Direction): string | null;
  setHighlights(highlights: Highlights): void;
  setTheme(theme: Theme): void;
  stop(): void;
}

export type Direction = 'left' | 'right' | 'up' | 'down';

interface PictureOptions {
  readonly replica: Replica;
  readonly canvas: HTMLCanvasElement;
  /** The layer of the elements, which moves with the camera. */
  readonly layer: HTMLElement;
  readonly theme: Theme;
  readonly failed: (message: string) => void;
}

export function startGraphPicture({ replica, canvas, layer, theme: firstTheme, failed }: PictureOptions): GraphPicture {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('the browser has no canvas');
  const layouts = startWorker<Extract<WorkRequest, { kind: 'layout' }>>((message) => {
    isLayoutRequested = false;
    failed(message);
  });
  const listeners = new Set<() => void>();
  let theme = firstTheme;
  let highlights: Highlights = { critical: new Set(), chosen: null, matches: null };
  const shortTitles = new Map<string, string>();
  let placed: PlacedScene | null = null;
  let camera: Camera = { x: 0, y: 0, scale: 1 };
  let size: Size = { width: 0, height: 0 };
  let near: NearCards | null = null;
  let frame: number | null = null;
  let isStructureKnown = false;
  let isLayoutRequested = false;
  let isFitted = false;

  function requestFrame(): void {
    frame ??= requestAnimationFrame(() => {
      frame = null;
      // Changes during a layout share the next one, which begins where it ends.
      if (!isStructureKnown && !isLayoutRequested) requestLayout();
      draw();
    });
  }

  function requestLayout(): void {
    isStructureKnown = true;
    const scene = sceneOf(replica.snapshot());
    if (placed !== null && isSameStructure(placed, scene)) {
      placed = { ...scene, layout: placed.layout };
      return;
    }
    isLayoutRequested = true;
    const earlier = earlierPositions(scene, placed);
    layouts.request<Layout>({ kind: 'layout', graph: scene.graph, earlier }, (layout) => {
      isLayoutRequested = false;
      placed = { ...scene, layout };
      // Fields may have changed meanwhile; a removed node waits for the next layout.
      for (const [number, id] of scene.ids.entries()) {
        const node = replica.snapshot().nodes.get(id);
        if (node !== undefined) scene.tasks[number] = taskOf(node);
      }
      near = null;
      // Titles of tasks that the reader no longer sees must not stay.
      shortTitles.clear();
      if (!isFitted && scene.ids.length > 0 && size.width > 0) fit();
      requestFrame();
    });
  }

  function draw(): void {
    if (placed === null || size.width === 0 || context === null) return;
    const nodes = camera.scale >= NEAR_SCALE ? cardsIn(placed, shownArea(camera, size, CARD_HEIGHT)) : [];
    const hasElements = camera.scale >= NEAR_SCALE && nodes.length <= MOST_ELEMENTS;
    const picture = { scene: placed, camera, size, theme, ...highlights, hasCards: !hasElements, shortTitles };
    paint(context, picture, devicePixelRatio);
    const { x, y, scale } = camera;
    layer.style.transform = `translate(${size.width / 2 - x * scale}px, ${size.height / 2 - y * scale}px) scale(${scale})`;
    setNear({ scene: placed, nodes: hasElements ? nodes : [] });
  }

  function setNear(next: NearCards): void {
    const isSame = near?.scene === next.scene && near.nodes.length === next.nodes.length;
    if (isSame && next.nodes.every((node, place) => near?.nodes[place] === node)) return;
    near = next;
    for (const listener of [...listeners]) listener();
  }

  function fit(): void {
    if (placed === null || placed.ids.length === 0) return;
    isFitted = true;
    camera = fitArea(areaOfAll(placed), size);
    requestFrame();
  }

  function setCamera(next: Camera): void {
    camera = next;
    requestFrame();
  }

  const restructure = () => {
    isStructureKnown = false;
    requestFrame();
  };
  const ends = [
    replica.on('node:added', restructure),
    replica.on('node:removed', ({ id }) => {
      // The layout may come later, or never; the title must not stay until then.
      const number = placed?.numberOf.get(id);
      if (placed !== null && number !== undefined) placed.tasks[number] = undefined;
      shortTitles.clear();
      restructure();
    }),
    replica.on('link:added', restructure),
    replica.on('link:changed', restructure),
    replica.on('link:removed', restructure),
    replica.on('node:changed', ({ node }) => {
      const number = placed?.numberOf.get(node.id);
      if (placed === null || number === undefined) return;
      placed.tasks[number] = taskOf(node);
      requestFrame();
    }),
  ];
  requestFrame();

  return {
    cards: () => near,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    resize(next) {
      size = next;
      canvas.width = Math.round(size.width * devicePixelRatio);
      canvas.height = Math.round(size.height * devicePixelRatio);
      if (!isFitted) fit();
      requestFrame();
    },
    panBy: (dx, dy) => setCamera(pan(camera, dx, dy)),
    zoomBy: (factor, point = { x: size.width / 2, y: size.height / 2 }) =>
      setCamera(zoomAt(camera, size, point, factor)),
    fit,
    show(id) {
      const node = placed?.numberOf.get(id);
      if (placed !== null && node !== undefined) setCamera(reveal(camera, size, areaOf(placed, node)));
    },
    nodeAt(point) {
      if (placed === null) return null;
      const { x, y } = toWorld(camera, size, point);
      const [hit] = cardsIn(placed, { left: x, right: x, top: y, bottom: y });
      return hit === undefined ? null : (placed.ids[hit] ?? null);
    },
    neighbour: (id, direction) => (placed === null ? null : neighbourOf(placed, id, direction)),
    setHighlights(next) {
      highlights = next;
      requestFrame();
    },
    setTheme(next) {
      theme = next;
      requestFrame();
    },
    stop() {
      for (const end of ends) end();
      if (frame !== null) cancelAnimationFrame(frame);
      layouts.stop();
    },
  };
}

function isSameStructure(one: Scene, other: Scene): boolean {
  return (
    one.ids.length === other.ids.length &&
    one.graph.sources.length === other.graph.sources.length &&
    one.ids.every((id, number) => other.ids[number] === id) &&
    one.graph.sources.every((source, link) => other.graph.sources[link] === source) &&
    one.graph.targets.every((target, link) => other.graph.targets[link] === target)
  );
}

function areaOf({ layout }: PlacedScene, node: number): Area {
  const [x, y] = [at(layout.columns, node) * COLUMN_WIDTH, at(layout.rows, node)];
  return { left: x - CARD_WIDTH / 2, right: x + CARD_WIDTH / 2, top: y - CARD_HEIGHT / 2, bottom: y + CARD_HEIGHT / 2 };
}

function areaOfAll(scene: PlacedScene): Area {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let node = 0; node < scene.ids.length; node++) {
    const area = areaOf(scene, node);
    left = Math.min(left, area.left);
    top = Math.min(top, area.top);
    right = Math.max(right, area.right);
    bottom = Math.max(bottom, area.bottom);
  }
  return { left, top, right, bottom };
}

function neighbourOf(scene: PlacedScene, id: string, direction: Direction): string | null {
  const node = scene.numberOf.get(id);
  if (node === undefined) return null;
  const { layout, graph } = scene;
  const row = at(layout.rows, node);
  let [best, distance] = [-1, Number.POSITIVE_INFINITY];
  const consider = (candidate: number) => {
    const away = Math.abs(at(layout.rows, candidate) - row);
    if (away < distance) [best, distance] = [candidate, away];
  };
  if (direction === 'left' || direction === 'right') {
    const [own, others] = direction === 'left' ? [graph.targets, graph.sources] : [graph.sources, graph.targets];
    for (let link = 0; link < own.length; link++) if (at(own, link) === node) consider(at(others, link));
  } else {
    for (let other = 0; other < scene.ids.length; other++) {
      if (other === node || at(layout.columns, other) !== at(layout.columns, node)) continue;
      if (at(layout.rows, other) > row === (direction === 'down')) consider(other);
    }
  }
  return best < 0 ? null : (scene.ids[best] ?? null);
}
