// Draws the picture on a canvas: links always; cards by zoom, with titles or as bars. Near cards and
// the tiles of branches are elements of the page instead.
import { BLOCKED, COMPLETED, type Task } from '../graph/task.ts';
import { at } from '../layout/graph-arrays.ts';
import { CARD_HEIGHT, CARD_WIDTH, COLUMN_WIDTH } from '../layout/rows.ts';
import { isolated } from '../messages/isolated.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { type Area, type Camera, type Size, shownArea } from './camera.ts';
import { CHANGE_SIGNS, type ChangeMarks } from './change-marks.ts';
import { fanTitle, isFanOutside, isFanSelected, type SceneFan } from './fans.ts';
import { followLink } from './link-line.ts';
import type { PlacedScene } from './scene.ts';

/** From this scale on, cards are elements, if there are not too many. */
export const NEAR_SCALE = 0.55;
/** From this scale on, cards have titles. */
const TITLE_SCALE = 0.22;
const STRIPE_WIDTH = 5;
const COUNT_FONT = '11px system-ui, sans-serif';
/** Below the line. */
const COUNT_OFFSET = 12;
const TITLE_FONT = '550 13px system-ui, sans-serif';
/** The opacity of cards outside of the filter. */
const OUTSIDE = 0.25;
const LINK_MARGIN = 3 * COLUMN_WIDTH;

/** The colours of the page's theme. */
export interface Theme {
  readonly ground: string;
  readonly text: string;
  readonly dim: string;
  readonly border: string;
  readonly hairline: string;
  readonly chosen: string;
  /** By status. */
  readonly statuses: readonly string[];
}

/** The tasks that look different from others. */
export interface Highlights {
  /** Nodes on the critical path. */
  readonly critical: ReadonlySet<string>;
  readonly chosen: string | null;
  readonly selection: ReadonlySet<string>;
  /** The nodes that meet the filter; null without one. Others are faint. */
  readonly matches: { has(id: string): boolean } | null;
  /** The tasks with a change that waits to be sent, or that was refused. */
  readonly changes: ChangeMarks;
}

export const NO_HIGHLIGHTS: Highlights = {
  critical: new Set(),
  chosen: null,
  selection: new Set(),
  matches: null,
  changes: new Map(),
};

export interface Picture extends Highlights {
  readonly scene: PlacedScene;
  readonly camera: Camera;
  /** The size of the view. */
  readonly size: Size;
  /** The canvas is larger than the view by this on each side, in pixels of the page. */
  readonly border: number;
  /** The part of the border that is painted. */
  readonly margin: number;
  readonly theme: Theme;
  /** Whether the canvas draws the cards. */
  readonly hasCards: boolean;
  /** Titles as they fit on a card, by title: measuring costs more than drawing. */
  readonly shortTitles: Map<string, string>;
}

/** The numbers of the nodes whose cards are in the area. */
export function cardsIn({ layout, ids }: PlacedScene, area: Area): number[] {
  const shown: number[] = [];
  for (let node = 0; node < ids.length; node++) {
    const [x, y] = [at(layout.xs, node), at(layout.rows, node)];
    if (x + CARD_WIDTH / 2 < area.left || x - CARD_WIDTH / 2 > area.right) continue;
    if (y + CARD_HEIGHT / 2 < area.top || y - CARD_HEIGHT / 2 > area.bottom) continue;
    shown.push(node);
  }
  return shown;
}

/** Draws in pixels of the device, of which `ratio` are one pixel of the page. */
export function paint(context: CanvasRenderingContext2D, picture: Picture, ratio: number): void {
  const { camera, size, border, margin, theme } = picture;
  context.setTransform(ratio, 0, 0, ratio, border * ratio, border * ratio);
  // Else texts would have the direction of the page, and begin at the other side.
  context.direction = 'ltr';
  context.fillStyle = theme.ground;
  context.fillRect(-margin, -margin, size.width + 2 * margin, size.height + 2 * margin);
  context.translate(size.width / 2, size.height / 2);
  context.scale(camera.scale, camera.scale);
  context.translate(-camera.x, -camera.y);
  paintLinks(context, picture);
  if (picture.hasCards) paintCards(context, picture);
}

/** All plain links are one path, since a stroke for each would take most of the frame. */
function paintLinks(context: CanvasRenderingContext2D, picture: Picture): void {
  const { scene, camera, size, margin, theme, critical } = picture;
  const { graph, layout, types, counts } = scene;
  const area = shownArea(camera, size, margin / camera.scale + LINK_MARGIN);
  const bundles: number[] = [];
  const [plain, secondary, heavy] = [new Path2D(), new Path2D(), new Path2D()];
  for (let link = 0; link < graph.sources.length; link++) {
    if (counts[link] === 0) continue;
    const [source, target] = [at(graph.sources, link), at(graph.targets, link)];
    const [left, right] = [at(layout.xs, source), at(layout.xs, target)];
    if (Math.max(left, right) < area.left || Math.min(left, right) > area.right) continue;
    const [from, to] = [at(layout.rows, source), at(layout.rows, target)];
    if (Math.max(from, to) < area.top || Math.min(from, to) > area.bottom) continue;
    const isHeavy =
      types[link] === 0 && critical.has(scene.ids[source] as string) && critical.has(scene.ids[target] as string);
    traceLink(isHeavy ? heavy : types[link] === 0 ? plain : secondary, scene, link, camera.scale);
    if (at(counts, link) > 1) bundles.push(link);
  }
  context.lineWidth = Math.max(1.5, 0.7 / camera.scale);
  context.strokeStyle = theme.border;
  context.stroke(plain);
  context.setLineDash([6, 5]);
  context.stroke(secondary);
  context.setLineDash([]);
  context.lineWidth = Math.max(3, 1.4 / camera.scale);
  context.strokeStyle = theme.text;
  context.stroke(heavy);
  if (camera.scale >= TITLE_SCALE) paintCounts(context, picture, bundles);
}

/** The numbers of the links that one line stands for, where it ends. */
function paintCounts(context: CanvasRenderingContext2D, { scene, theme }: Picture, bundles: readonly number[]): void {
  const { graph, layout, counts } = scene;
  context.font = COUNT_FONT;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const link of bundles) {
    const text = `×${at(counts, link)}`;
    const target = at(graph.targets, link);
    const [x, y] = [at(layout.xs, target) - CARD_WIDTH / 2 - 4, at(layout.rows, target) + COUNT_OFFSET];
    context.fillStyle = theme.text;
    context.fillText(text, x, y);
  }
  context.textAlign = 'left';
}

/** Curves are not told from lines when they are small. */
function traceLink(path: Path2D, scene: PlacedScene, link: number, scale: number): void {
  followLink(scene, link, {
    start: (x, y) => path.moveTo(x, y),
    step(x, y, nextX, nextY) {
      if (scale < TITLE_SCALE || nextY === y) path.lineTo(nextX, nextY);
      else path.bezierCurveTo((x + nextX) / 2, y, (x + nextX) / 2, nextY, nextX, nextY);
    },
  });
}

function paintCards(context: CanvasRenderingContext2D, picture: Picture): void {
  const { scene, camera, size, margin, matches } = picture;
  context.font = TITLE_FONT;
  context.textBaseline = 'middle';
  for (const node of cardsIn(scene, shownArea(camera, size, margin / camera.scale))) {
    const [task, fan] = [scene.tasks[node], scene.fans.get(node)];
    if (task !== undefined) {
      const isOutside = matches?.has(task.id) === false;
      context.globalAlpha = isOutside ? OUTSIDE : task.status === COMPLETED ? 0.55 : 1;
      paintCard(context, picture, node, task);
    } else if (fan !== undefined) {
      context.globalAlpha = isFanOutside(fan, matches) ? OUTSIDE : 1;
      paintFan(context, picture, node, fan);
    }
  }
  context.globalAlpha = 1;
}

function paintCard(context: CanvasRenderingContext2D, picture: Picture, node: number, task: Task): void {
  const { scene, camera, theme, chosen, selection, changes, shortTitles } = picture;
  const [x, y] = cornerOf(scene, node);
  const hidden = at(scene.hiddenBelow, node);
  const colour = theme.statuses[task.status] ?? theme.dim;
  const isMarked = task.id === chosen || selection.has(task.id);
  if (camera.scale < TITLE_SCALE) {
    // Blocked is quiet and hollow at any size.
    context.fillStyle = task.status === BLOCKED ? theme.hairline : colour;
    context.fillRect(x, y, CARD_WIDTH, CARD_HEIGHT);
  } else {
    context.fillStyle = isMarked ? theme.chosen : theme.ground;
    context.fillRect(x, y, CARD_WIDTH, CARD_HEIGHT);
    context.fillStyle = colour;
    if (task.status !== BLOCKED) context.fillRect(x, y, STRIPE_WIDTH, CARD_HEIGHT);
    context.lineWidth = 1;
    context.strokeStyle = task.status === BLOCKED ? theme.hairline : theme.border;
    context.strokeRect(x, y, CARD_WIDTH, CARD_HEIGHT);
    context.fillStyle = task.status === BLOCKED ? theme.dim : theme.text;
    context.fillText(shortened(context, shortTitles, titleOf(task)), x + 14, y + CARD_HEIGHT / 2);
    if (hidden > 0) context.fillText(`+${messages.number(hidden)}`, x + 14, y + CARD_HEIGHT - 10);
    const change = changes.get(task.id);
    if (change !== undefined) context.fillText(CHANGE_SIGNS[change], x + CARD_WIDTH - 18, y + 12);
  }
  if (isMarked) paintFrame(context, picture, node);
}

/** The card that stands for leaves of a task, or that folds them. */
function paintFan(context: CanvasRenderingContext2D, picture: Picture, node: number, fan: SceneFan): void {
  const { scene, camera, theme, selection } = picture;
  const [x, y] = cornerOf(scene, node);
  const isSelected = isFanSelected(fan, selection);
  const hasText = camera.scale >= TITLE_SCALE;
  context.fillStyle = !hasText ? theme.hairline : isSelected ? theme.chosen : theme.ground;
  context.fillRect(x, y, CARD_WIDTH, CARD_HEIGHT);
  if (hasText) {
    context.lineWidth = 1;
    context.strokeStyle = theme.border;
    context.strokeRect(x, y, CARD_WIDTH, CARD_HEIGHT);
    context.fillStyle = theme.dim;
    context.fillText(fanTitle(fan), x + 14, y + CARD_HEIGHT / 2);
  }
  if (isSelected) paintFrame(context, picture, node);
}

function paintFrame(context: CanvasRenderingContext2D, { scene, camera, theme }: Picture, node: number): void {
  const [x, y] = cornerOf(scene, node);
  context.lineWidth = Math.max(2, 2 / camera.scale);
  context.strokeStyle = theme.statuses[0] ?? theme.text;
  context.strokeRect(x, y, CARD_WIDTH, CARD_HEIGHT);
}

/** The upper left corner of a card. */
function cornerOf({ layout }: PlacedScene, node: number): readonly [x: number, y: number] {
  return [at(layout.xs, node) - CARD_WIDTH / 2, at(layout.rows, node) - CARD_HEIGHT / 2];
}

const TITLE_WIDTH = CARD_WIDTH - 28;
const MOST_LETTERS = 60;
const MOST_SHORT_TITLES = 40_000;

/** A title that fits on a card. */
function shortened(context: CanvasRenderingContext2D, shortTitles: Map<string, string>, title: string): string {
  const known = shortTitles.get(title);
  if (known !== undefined) return known;
  let text = title.slice(0, MOST_LETTERS);
  while (text.length > 1 && context.measureText(text === title ? text : `${text}…`).width > TITLE_WIDTH) {
    text = text.slice(0, Math.max(1, Math.floor(text.length * 0.9)));
  }
  const short = isolated(text === title ? text : `${text.trimEnd()}…`);
  if (shortTitles.size >= MOST_SHORT_TITLES) shortTitles.clear();
  shortTitles.set(title, short);
  return short;
}
