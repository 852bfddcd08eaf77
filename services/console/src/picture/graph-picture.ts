// The picture of a graph outside of React: it follows a replica, requests layouts, moves the camera,
// and paints at most once a frame.
import type { Replica } from '@taskgraph/client';
import { type Task, taskOf } from '../graph/task.ts';
import { at } from '../layout/graph-arrays.ts';
import type { Layout } from '../layout/layout.ts';
import { CARD_HEIGHT, CARD_WIDTH } from '../layout/rows.ts';
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
import { createFanState } from './fan-state.ts';
import type { SceneFan } from './fans.ts';
import { type Overview, overviewOf, type StatusNumbers } from './overview.ts';
import { BORDER, createPaintedCanvas } from './painted-canvas.ts';
import { cardsIn, type Highlights, NEAR_SCALE, NO_HIGHLIGHTS, paint, type Theme } from './painter.ts';
import {
  earlierPositions,
  isPlacedAnew,
  isSamePlacement,
  numberGraph,
  type PlacedScene,
  refreshTasks,
  type Scene,
  shownScene,
} from './scene.ts';

/** More cards than that are drawn, not elements. */
const MOST_ELEMENTS = 260;
/** With more cards than that, the picture opens on the tiles of branches. */
const MOST_CARDS_AT_FIRST = 400;
/** From here on the tiles of branches show instead of cards. */
const LEAST_CARD_SCALE = 0.05;

/** What the elements over the canvas show: near cards, or the tiles of branches. */
export type PictureElements = NearCards | BranchTiles;

export interface NearCards {
  readonly kind: 'cards';
  readonly scene: PlacedScene;
  /** The numbers of the nodes with an element. */
  readonly nodes: readonly number[];
}

export interface BranchTiles {
  readonly kind: 'branches';
  readonly scene: PlacedScene;
  readonly nodes: readonly number[];
  readonly countsOf: (tile: number) => StatusNumbers;
}

export interface GraphPicture {
  /** The present elements; the same object until they change. Null before the first layout. */
  elements(): PictureElements | null;
  /** The whole picture, for exports, also while tiles show; null before the first layout. */
  scene(): PlacedScene | null;
  subscribe(changed: () => void): () => void;
  resize(size: Size): void;
  panBy(dx: number, dy: number): void;
  /** `point`: what stays in place; by default the centre. */
  zoomBy(factor: number, point?: Point): void;
  fit(): void;
  /** Moves the camera as little as needed to show a node. */
  show(id: string): void;
  showBranches(): void;
  /** Shows the cards of a branch, by the id of its tile. */
  enterBranch(id: string): void;
  /** The fan of a card that stands for leaves of a task. */
  fanOf(card: string): SceneFan | null;
  /** Opens a fan, or folds it, and shows its card. */
  toggleFan(card: string): void;
  /** The node or the tile at a point of the view. */
  nodeAt(point: Point): string | null;
  /** The next node in a direction: along a link to the left and right, in the column up and down. */
  neighbour(id: string, direction: Direction): string | null;
  /** The centre of a card in the world. */
  placeOf(id: string): Point | null;
  /** Shows a card at a point of the world until the layout has it there, or until the move is cancelled. */
  moveCard(id: string, place: Point): void;
  /** The service has the place of a moved card: the next layout counts. */
  confirmMove(id: string): void;
  cancelMove(id: string): void;
  scale(): number;
  /** The ids of the pinned tasks that show. */
  pinned(): readonly string[];
  /** Also opens the fans that hide the chosen task or a selected one, if it was not so before. */
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
  /** The ids of the fans that the reader has opened. The picture changes it. */
  readonly openFans: Set<string>;
  readonly failed: (message: string) => void;
}

export function startGraphPicture(options: PictureOptions): GraphPicture {
  const { replica, canvas, layer, failed } = options;
  const surface = createPaintedCanvas(canvas);
  const layouts = startWorker<Extract<WorkRequest, { kind: 'layout' }>>((message) => {
    isLayoutRequested = false;
    failed(message);
  });
  const listeners = new Set<() => void>();
  let [theme, highlights] = [options.theme, NO_HIGHLIGHTS];
  const shortTitles = new Map<string, string>();
  /** Cards that the reader moves, or has just moved. */
  const moves = new Map<string, Point>();
  /** Moved cards whose place the service has. */
  const confirmed = new Set<string>();
  /** As the last layout placed it, and with the moved cards where the reader put them. */
  let [laid, placed]: [PlacedScene | null, PlacedScene | null] = [null, null];
  /** Not null while the tiles of branches show. */
  let overview: Overview | null = null;
  let [camera, size]: [Camera, Size] = [{ x: 0, y: 0, scale: 1 }, NO_SIZE];
  /** `areElementsStale`: whether they show something else with the same nodes. */
  let [layerScale, elements, areElementsStale] = [0, null as PictureElements | null, false];
  const fans = createFanState({
    openFans: options.openFans,
    nodes: () => replica.snapshot().nodes,
    scene: () => laid,
    focused: () => layer.querySelector<HTMLElement>('[data-task]:focus')?.dataset.task ?? null,
    changed: restructure,
  });
  let [frame, isStructureKnown, isLayoutRequested, isFitted] = [null as number | null, false, false, false];
  const { later, stop: stopTurns } = createTurnScheduler();

  function requestFrame(): void {
    frame ??= requestAnimationFrame(() => {
      frame = null;
      // Changes during a layout share the next one, which begins where it ends.
      if (!isLayoutRequested && (!isStructureKnown || fans.areStale())) {
        isLayoutRequested = true;
        later(requestLayout);
      }
      draw();
    });
  }

  /** Something that is painted has changed. */
  function repaint(): void {
    surface.invalidate();
    requestFrame();
  }

  function requestLayout(): void {
    isStructureKnown = true;
    const all = numberGraph(replica.snapshot());
    later(() => layOut(shownScene(all, fans.choice())));
  }

  function layOut(scene: Scene): void {
    const toggledFan = fans.recordScene(scene);
    if (laid !== null && isSamePlacement(laid, scene)) {
      isLayoutRequested = false;
      place({ ...scene, layout: laid.layout });
      return;
    }
    const earlier = earlierPositions(scene, laid);
    layouts.request<Layout>({ kind: 'layout', graph: scene.graph, earlier, pins: scene.pins }, (layout) => {
      isLayoutRequested = false;
      place({ ...scene, layout });
      if (toggledFan !== null) show(toggledFan);
      // Titles of tasks that the reader no longer sees must not stay.
      shortTitles.clear();
      if (!isFitted && scene.ids.length > 0 && size.width > 0) later(open);
      requestFrame();
    });
  }

  function place(scene: PlacedScene): void {
    refreshTasks(scene, replica.snapshot().nodes);
    laid = scene;
    for (const id of confirmed) moves.delete(id);
    confirmed.clear();
    scene.pins.nodes.forEach((node, index) => {
      const id = scene.ids[node] as string;
      const place = moves.get(id);
      const isThere = place?.x === scene.pins.xs[index] && place?.y === scene.pins.ys[index];
      if (isThere) moves.delete(id);
    });
    placed = withMoves(scene, moves);
    later(() => {
      if (overview === null) return;
      showOverview();
      repaint();
    });
    areElementsStale = true;
    repaint();
  }

  /** The first picture. */
  function open(): void {
    if (isFitted || placed === null) return;
    if (placed.ids.length > MOST_CARDS_AT_FIRST) showBranches();
    else fit();
  }

  function draw(): void {
    if (placed === null || size.width === 0) return;
    // The first picture has its camera soon.
    if (!isFitted && placed.ids.length > 0) return;
    const scene = overview?.scene ?? placed;
    const margin = surface.marginToPaint(camera);
    if (margin !== null) paintScene(scene, margin);
    surface.follow(camera);
    const { x, y, scale } = camera;
    if (layerScale !== scale) layer.style.setProperty('--scale', String(scale));
    layerScale = scale;
    layer.style.transform = `translate(${size.width / 2 - x * scale}px, ${size.height / 2 - y * scale}px) scale(${scale})`;
  }

  function paintScene(scene: PlacedScene, most: number): void {
    const isNear = overview !== null || camera.scale >= NEAR_SCALE;
    const around = (pixels: number) => cardsIn(scene, shownArea(camera, size, pixels / camera.scale));
    let [margin, nodes] = [most, isNear ? around(most + CARD_HEIGHT) : []];
    // Elements beyond the view are the first to go; then each move paints again.
    if (nodes.length > MOST_ELEMENTS && most > 0) [margin, nodes] = [0, around(CARD_HEIGHT)];
    const hasElements = isNear && nodes.length <= MOST_ELEMENTS;
    const picture = { scene, camera, size, border: BORDER, margin, theme, shortTitles, hasCards: !hasElements };
    const marks = overview === null ? highlights : NO_HIGHLIGHTS;
    paint(surface.context, Object.assign(picture, marks), devicePixelRatio);
    surface.painted(camera, margin);
    const shown = hasElements ? nodes : [];
    setElements(
      overview === null
        ? { kind: 'cards', scene, nodes: shown }
        : { kind: 'branches', scene, nodes: shown, countsOf: overview.countsOf },
    );
  }

  function setElements(next: PictureElements): void {
    const isSame = elements?.scene === next.scene && elements.nodes.length === next.nodes.length;
    const areSame = isSame && next.nodes.every((node, index) => elements?.nodes[index] === node);
    if (areSame && !areElementsStale) return;
    areElementsStale = false;
    elements = next;
    for (const listener of [...listeners]) listener();
  }

  function fit(): void {
    if (placed === null || placed.ids.length === 0) return;
    isFitted = true;
    const whole = fitArea(areaOfAll(placed), size);
    if (whole.scale < LEAST_CARD_SCALE) showBranches();
    else {
      if (overview !== null) surface.invalidate();
      overview = null;
      setCamera(whole);
    }
  }

  function showOverview(): void {
    if (placed === null) return;
    // Tasks may have changed since they were numbered.
    const { nodes } = replica.snapshot();
    const tasks = placed.all.ids.map((id) => nodes.get(id) as Task | undefined);
    overview = overviewOf({ ...placed.all, tasks });
    areElementsStale = true;
  }

  function showBranches(): void {
    showOverview();
    if (overview === null || overview.scene.ids.length === 0) return;
    isFitted = true;
    setCamera(fitArea(areaOfAll(overview.scene), size));
    repaint();
  }

  function enterBranch(id: string): void {
    if (placed === null || overview === null) return;
    const shown = placed.numberOf;
    const nodes = overview.tasksOf(id).flatMap((task) => shown.get(task) ?? []);
    overview = null;
    surface.invalidate();
    if (nodes.length === 0) {
      // All of its tasks are hidden below a collapsed one.
      fit();
      return;
    }
    const whole = fitArea(areaOfAll(placed, nodes), size);
    const top = shown.get(id) ?? (nodes[0] as number);
    const centre = areaOf(placed, top);
    // A branch that does not fit shows its top task.
    if (whole.scale >= LEAST_CARD_SCALE) setCamera(whole);
    else setCamera({ x: whole.x, y: (centre.top + centre.bottom) / 2, scale: LEAST_CARD_SCALE });
  }

  function zoomBy(factor: number, point: Point = { x: size.width / 2, y: size.height / 2 }): void {
    const zoomed = zoomAt(camera, size, point, factor);
    if (overview === null) {
      if (zoomed.scale >= LEAST_CARD_SCALE) setCamera(zoomed);
      else if (factor < 1) showBranches();
      return;
    }
    const tile =
      factor > 1 && zoomed.scale > MOST_TILE_SCALE ? nearestTo(overview.scene, toWorld(camera, size, point)) : -1;
    const id = overview.scene.ids[tile];
    if (id !== undefined) enterBranch(id);
    else setCamera(zoomed);
  }

  function show(id: string): void {
    const scene = overview?.scene ?? placed;
    const node = scene?.numberOf.get(id);
    if (scene !== null && node !== undefined) setCamera(reveal(camera, size, areaOf(scene, node)));
  }

  function setCamera(next: Camera): void {
    camera = next;
    requestFrame();
  }

  function moveCard(id: string, place: Point): void {
    const number = placed?.numberOf.get(id);
    if (placed === null || number === undefined) return;
    if (moves.has(id)) {
      placed.layout.xs[number] = place.x;
      placed.layout.rows[number] = place.y;
      moves.set(id, place);
    } else {
      moves.set(id, place);
      if (laid !== null) placed = withMoves(laid, moves);
    }
    areElementsStale = true;
    repaint();
  }

  function cancelMove(id: string): void {
    if (!moves.delete(id) || laid === null) return;
    placed = withMoves(laid, moves);
    areElementsStale = true;
    repaint();
  }

  function restructure(): void {
    isStructureKnown = false;
    requestFrame();
  }
  const stopFollowing = followGraph(replica, {
    restructured: restructure,
    removed(id) {
      // The layout may come later, or never; the title must not stay until then.
      const number = placed?.numberOf.get(id);
      if (placed !== null && number !== undefined) placed.tasks[number] = undefined;
      if (overview?.remove(id) === true) areElementsStale = true;
      shortTitles.clear();
      surface.invalidate();
      restructure();
    },
    changed(earlier, task) {
      const number = placed?.numberOf.get(task.id);
      if (placed !== null && number !== undefined) placed.tasks[number] = task;
      if (isPlacedAnew(earlier, task)) restructure();
      else if (fans.touch(earlier, task)) requestFrame();
      if (overview !== null) {
        if (overview.change(earlier, task)) {
          areElementsStale = true;
          repaint();
        }
      } else if (number !== undefined) repaint();
    },
  });
  requestFrame();

  return {
    elements: () => elements,
    scene: () => placed,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    resize(next) {
      size = next;
      surface.resize(next);
      if (!isFitted && placed !== null && placed.ids.length > 0) open();
      repaint();
    },
    panBy: (dx, dy) => setCamera(pan(camera, dx, dy)),
    zoomBy,
    fit,
    show,
    showBranches,
    enterBranch,
    fanOf: fans.fanOf,
    toggleFan: fans.toggle,
    nodeAt(point) {
      const scene = overview?.scene ?? placed;
      if (scene === null) return null;
      const { x, y } = toWorld(camera, size, point);
      const [hit] = cardsIn(scene, { left: x, right: x, top: y, bottom: y });
      return hit === undefined ? null : (scene.ids[hit] ?? null);
    },
    neighbour(id, direction) {
      const scene = overview?.scene ?? placed;
      return scene === null ? null : neighbourOf(scene, id, direction);
    },
    placeOf(id) {
      const node = placed?.numberOf.get(id);
      if (placed === null || node === undefined) return null;
      return { x: at(placed.layout.xs, node), y: at(placed.layout.rows, node) };
    },
    moveCard,
    confirmMove(id) {
      if (isLayoutRequested || !isStructureKnown) confirmed.add(id);
      else cancelMove(id);
    },
    cancelMove,
    scale: () => camera.scale,
    pinned: () => Array.from(laid?.pins.nodes ?? [], (node) => laid?.ids[node] as string),
    setHighlights(next) {
      highlights = next;
      fans.follow(next);
      repaint();
    },
    setTheme(next) {
      theme = next;
      repaint();
    },
    stop() {
      stopTurns();
      stopFollowing();
      if (frame !== null) cancelAnimationFrame(frame);
      layouts.stop();
    },
  };
}

interface GraphListeners {
  /** A task was added, or the links changed. */
  restructured(): void;
  removed(id: string): void;
  changed(before: Task, after: Task): void;
}

/** Returns a function that ends it. */
function followGraph(replica: Replica, { restructured, removed, changed }: GraphListeners): () => void {
  const ends = [
    replica.on('node:added', restructured),
    replica.on('node:removed', ({ id }) => removed(id)),
    replica.on('node:changed', ({ node, before }) => changed(taskOf(before), taskOf(node))),
    replica.on('link:added', restructured),
    replica.on('link:changed', restructured),
    replica.on('link:removed', restructured),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Runs each step in a later turn of the event loop, so that no step blocks a frame. */
function createTurnScheduler() {
  let isStopped = false;
  return {
    later(work: () => void) {
      setTimeout(() => {
        if (!isStopped) work();
      });
    },
    stop() {
      isStopped = true;
    },
  };
}

const NO_SIZE: Size = { width: 0, height: 0 };

/** Zooming in beyond this enters the branch. */
const MOST_TILE_SCALE = 1;

/** Moved cards are where the reader put them, in positions of their own. Without any it is the same scene. */
function withMoves(scene: PlacedScene, moves: ReadonlyMap<string, Point>): PlacedScene {
  if (moves.size === 0) return scene;
  const { layout, numberOf } = scene;
  const [xs, rows] = [layout.xs.slice(), layout.rows.slice()];
  for (const [id, { x, y }] of moves) {
    const node = numberOf.get(id);
    if (node === undefined) continue;
    xs[node] = x;
    rows[node] = y;
  }
  return { ...scene, layout: { ...layout, xs, rows } };
}

function areaOf({ layout }: PlacedScene, node: number): Area {
  const [x, y] = [at(layout.xs, node), at(layout.rows, node)];
  return { left: x - CARD_WIDTH / 2, right: x + CARD_WIDTH / 2, top: y - CARD_HEIGHT / 2, bottom: y + CARD_HEIGHT / 2 };
}

function areaOfAll(scene: PlacedScene, nodes: Iterable<number> = scene.ids.keys()): Area {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const node of nodes) {
    const area = areaOf(scene, node);
    left = Math.min(left, area.left);
    top = Math.min(top, area.top);
    right = Math.max(right, area.right);
    bottom = Math.max(bottom, area.bottom);
  }
  return { left, top, right, bottom };
}

/** The card or tile whose centre is nearest to a point of the world. */
function nearestTo({ layout, ids }: PlacedScene, { x, y }: Point): number {
  let [best, distance] = [-1, Number.POSITIVE_INFINITY];
  for (let node = 0; node < ids.length; node++) {
    const away = Math.hypot(at(layout.xs, node) - x, at(layout.rows, node) - y);
    if (away < distance) [best, distance] = [node, away];
  }
  return best;
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
