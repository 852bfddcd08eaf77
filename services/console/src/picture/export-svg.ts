// The picture as SVG: an own tree of elements, which becomes a file, or elements of the page to print.
// Titles are text; nothing refers to another file. Rule: CON29.
import { BLOCKED, COMPLETED, type Task } from '../graph/task.ts';
import { at } from '../layout/graph-arrays.ts';
import { CARD_HEIGHT, CARD_WIDTH } from '../layout/rows.ts';
import { isolated } from '../messages/isolated.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { graphTexts } from '../messages/texts/graph.ts';
import type { Area } from './camera.ts';
import { fanTitle, limitFans, type SceneFan } from './fans.ts';
import { followLink } from './link-line.ts';
import type { PlacedScene } from './scene.ts';

/** The colours of the theme that the picture uses. */
interface PictureColours {
  readonly ground: string;
  readonly text: string;
  readonly dim: string;
  readonly border: string;
  /** By status. */
  readonly statuses: readonly string[];
}

export interface PictureSource {
  readonly scene: PlacedScene;
  readonly theme: PictureColours;
  readonly critical: ReadonlySet<string>;
  /** The tasks of the scope that meet the filter. Others are not in the file, nor in its numbers. */
  readonly shown: { has(id: string): boolean };
}

export interface SvgNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (SvgNode | string)[];
}

export interface SvgPicture {
  readonly root: SvgNode;
  readonly tasks: number;
}

export const NAMESPACE = 'http://www.w3.org/2000/svg';
const MARGIN = 24;
const STRIPE_WIDTH = 5;
const TITLE_INSET = 14;
/** Letters of 13 pixels that fit on a card, for systems whose fonts are unknown here. */
const TITLE_LETTERS = 24;
const FONT = 'system-ui, sans-serif';

/** Null if nothing is shown. `name` is the title of the picture. */
export function svgPictureOf(source: PictureSource, name: string): SvgPicture | null {
  const numbers = shownNumbers(source);
  const fans = limitFans(source.scene.fans, source.shown);
  if (numbers.length === 0) return null;
  const { left, top, right, bottom } = areaOf(source.scene, numbers);
  const [width, height] = [right - left, bottom - top];
  const root = element(
    'svg',
    { xmlns: NAMESPACE, direction: 'ltr', width, height, viewBox: `${left} ${top} ${width} ${height}` },
    [
      element('title', {}, [name]),
      element('rect', { x: left, y: top, width, height, fill: source.theme.ground }),
      element('g', { fill: 'none' }, linkPaths(source, new Set(numbers))),
      element(
        'g',
        { 'font-family': FONT, 'font-size': 13 },
        numbers.map((number) => {
          const fan = fans.get(number);
          return fan === undefined ? cardOf(source, number) : fanCardOf(source, number, fan);
        }),
      ),
    ],
  );
  return { root, tasks: numbers.length - fans.size };
}

/** The numbers of the cards in the file: those of tasks, and those that stand for leaves. */
export function shownNumbers({ scene, shown }: Pick<PictureSource, 'scene' | 'shown'>): number[] {
  const fans = limitFans(scene.fans, shown);
  return [...scene.ids.keys()].filter(
    (number) => fans.has(number) || (scene.tasks[number] !== undefined && shown.has(scene.ids[number] as string)),
  );
}

/** The part of the world with these cards. */
export function areaOf({ layout }: PlacedScene, numbers: readonly number[]): Area {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const number of numbers) {
    const [x, y] = [at(layout.xs, number), at(layout.rows, number)];
    left = Math.min(left, x - CARD_WIDTH / 2);
    right = Math.max(right, x + CARD_WIDTH / 2);
    top = Math.min(top, y - CARD_HEIGHT / 2);
    bottom = Math.max(bottom, y + CARD_HEIGHT / 2);
  }
  return { left: left - MARGIN, top: top - MARGIN, right: right + MARGIN, bottom: bottom + MARGIN };
}

function linkPaths({ scene, theme, critical }: PictureSource, numbers: ReadonlySet<number>): SvgNode[] {
  const { graph, types, ids } = scene;
  const paths: SvgNode[] = [];
  for (let link = 0; link < graph.sources.length; link++) {
    const [source, target] = [at(graph.sources, link), at(graph.targets, link)];
    if (!numbers.has(source) || !numbers.has(target)) continue;
    const isPrimary = types[link] === 0;
    const isHeavy = isPrimary && critical.has(ids[source] as string) && critical.has(ids[target] as string);
    paths.push(
      element('path', {
        d: traceOf(scene, link),
        stroke: isHeavy ? theme.text : theme.border,
        'stroke-width': isHeavy ? 3 : 1.5,
        ...(isPrimary ? {} : { 'stroke-dasharray': '6 5' }),
      }),
    );
  }
  return paths;
}

/** The same line as on the canvas. */
function traceOf(scene: PlacedScene, link: number): string {
  const steps: string[] = [];
  followLink(scene, link, {
    start: (x, y) => void steps.push(`M${x} ${y}`),
    step(x, y, nextX, nextY) {
      const middle = (x + nextX) / 2;
      steps.push(nextY === y ? `L${nextX} ${nextY}` : `C${middle} ${y} ${middle} ${nextY} ${nextX} ${nextY}`);
    },
  });
  return steps.join('');
}

function cardOf({ scene, theme }: PictureSource, number: number): SvgNode {
  const { layout, tasks } = scene;
  const task = tasks[number] as Task;
  const x = at(layout.xs, number) - CARD_WIDTH / 2;
  const y = at(layout.rows, number) - CARD_HEIGHT / 2;
  const isBlocked = task.status === BLOCKED;
  const title = titleOf(task);
  const letters = [...title];
  const short = letters.length > TITLE_LETTERS ? `${letters.slice(0, TITLE_LETTERS - 1).join('')}…` : title;
  const colour = theme.statuses[task.status] ?? theme.dim;
  const size = { width: CARD_WIDTH, height: CARD_HEIGHT };
  return element('g', {}, [
    // The whole title, for pointers and readers of the screen.
    element('title', {}, [`${isolated(title)}, ${messages.status[task.status]}`]),
    element('rect', {
      x,
      y,
      ...size,
      fill: theme.ground,
      stroke: isBlocked ? theme.dim : theme.border,
      ...(isBlocked ? { 'stroke-dasharray': '3 3' } : {}),
    }),
    ...(isBlocked ? [] : [element('rect', { x, y, width: STRIPE_WIDTH, height: CARD_HEIGHT, fill: colour })]),
    element(
      'text',
      {
        x: x + TITLE_INSET,
        y: y + 24,
        fill: task.status === COMPLETED || isBlocked ? theme.dim : theme.text,
        'font-weight': 550,
        ...(task.status === COMPLETED ? { 'text-decoration': 'line-through' } : {}),
      },
      [isolated(short)],
    ),
    element('text', { x: x + TITLE_INSET, y: y + 43, fill: theme.dim, 'font-size': 11 }, [
      messages.status[task.status] ?? '',
    ]),
  ]);
}

function fanCardOf({ scene, theme, shown }: PictureSource, number: number, fan: SceneFan): SvgNode {
  const x = at(scene.layout.xs, number) - CARD_WIDTH / 2;
  const y = at(scene.layout.rows, number) - CARD_HEIGHT / 2;
  const size = { width: CARD_WIDTH, height: CARD_HEIGHT };
  const task = shown.has(fan.task) ? scene.tasks[scene.numberOf.get(fan.task) ?? -1] : undefined;
  const text = task === undefined ? fanTitle(fan) : `${fanTitle(fan)} ${graphTexts[fan.side](titleOf(task))}`;
  return element('g', {}, [
    element('title', {}, [text]),
    element('rect', { x, y, ...size, fill: theme.ground, stroke: theme.border }),
    element('text', { x: x + TITLE_INSET, y: y + 24, fill: theme.dim, 'font-weight': 550 }, [fanTitle(fan)]),
  ]);
}

function element(
  name: string,
  attributes: SvgNode['attributes'],
  children: readonly (SvgNode | string)[] = [],
): SvgNode {
  return { name, attributes, children };
}

/** The text of a file. */
export function svgText(root: SvgNode): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${textOf(root)}\n`;
}

function textOf(node: SvgNode | string): string {
  if (typeof node === 'string') return escapeXml(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`);
  const children = node.children.map(textOf).join('');
  return `<${node.name}${attributes.join('')}>${children}</${node.name}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Characters that no XML document can have, also escaped. Tab and line breaks are allowed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\uFFFD')
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
