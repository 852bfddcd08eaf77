// Draws filled panels as one SVG, in the places that the dashboard gives them.
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { stringify } from './markup.ts';
import type { Panel } from './panels.ts';

const COLUMN = 40;
const ROW = 22;
const GAP = 8;
const [LEFT, TOP, RIGHT, BOTTOM] = [48, 28, 12, 34];
/** Points are a second apart. */
const LONGEST_STEP_SECONDS = 2;
const COLORS = ['#3b78c4', '#d1622b', '#3f9350', '#8a56ac', '#b9932a', '#2a9d9d', '#c2476e', '#6b6b6b'];

type Points = Panel['lines'][number]['points'];

/** Gives the text of an SVG. `from` and `to` are seconds since 1970, as in the points. */
export function draw(panels: readonly Panel[], from: number, to: number): string {
  const width = Math.max(...panels.map(({ place }) => (place.x + place.w) * COLUMN));
  const height = Math.max(...panels.map(({ place }) => (place.y + place.h) * ROW));
  const root = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, 'font-family': 'sans-serif' };
  const title = stringify('title', {}, ['The dashboard of Taskgraph']);
  const back = stringify('rect', { width, height, fill: '#f4f5f7' });
  return `${stringify('svg', { ...root, 'font-size': 11 }, [title, back, ...panels.map((each) => drawPanel(each, from, to))])}\n`;
}

function drawPanel({ title, unit, place, lines }: Panel, from: number, to: number): string {
  const [width, height] = [place.w * COLUMN - GAP, place.h * ROW - GAP];
  const highest = Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const x = scaleLinear([0, to - from], [LEFT, width - RIGHT]);
  const y = scaleLinear([0, highest || 1], [height - BOTTOM, TOP]).nice(4);
  const path = line<readonly [number, number]>(
    ([at]) => round(x(at - from)),
    ([, value]) => round(y(value)),
  ).defined(([, value]) => !Number.isNaN(value));
  const across = y.ticks(4).flatMap((value) => {
    const at = round(y(value));
    return [
      stringify('path', { d: `M${LEFT},${at}H${width - RIGHT}`, stroke: '#e3e5e8' }),
      stringify('text', { x: LEFT - 6, y: at + 4, 'text-anchor': 'end', fill: '#555' }, [written(value, unit)]),
    ];
  });
  const along = x
    .ticks(4)
    .map((second) =>
      stringify('text', { x: round(x(second)), y: height - BOTTOM + 14, 'text-anchor': 'middle', fill: '#555' }, [
        `${second} s`,
      ]),
    );
  const shown = worthShowing(lines);
  const drawn = shown.map(({ points }, at) =>
    stringify('path', { d: path(withGaps(points)) ?? '', fill: 'none', stroke: colorOf(at), 'stroke-width': 1.5 }),
  );
  return stringify('g', { transform: `translate(${place.x * COLUMN + GAP / 2},${place.y * ROW + GAP / 2})` }, [
    stringify('rect', { width, height, fill: '#fff', stroke: '#d8dade', rx: 3 }),
    stringify('text', { x: 10, y: 18, 'font-weight': 'bold', fill: '#222' }, [title]),
    ...across,
    ...along,
    ...drawn,
    legend(shown, height),
  ]);
}

/** Kinds of trouble that did not happen would fill the legend. */
function worthShowing(lines: Panel['lines']): Panel['lines'] {
  const happened = lines.filter(({ points }) => points.some(([, value]) => value !== 0));
  return happened.length > 0 ? happened : lines.slice(0, 3);
}

/** Where nothing was measured the line is interrupted. */
function withGaps(points: Points): Points {
  return points.flatMap((point, at) => {
    const before = points[at - 1]?.[0] ?? point[0];
    return point[0] - before > LONGEST_STEP_SECONDS ? [[before, Number.NaN] as const, point] : [point];
  });
}

function legend(lines: Panel['lines'], height: number): string {
  const named = lines.map(({ name }, at) => stringify('tspan', { fill: colorOf(at), dx: at === 0 ? 0 : 10 }, [name]));
  return stringify('text', { x: LEFT, y: height - 6 }, named);
}

function colorOf(at: number): string {
  return COLORS[at % COLORS.length] as string;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A value with its unit, short enough for an axis. */
function written(value: number, unit: string): string {
  if (unit === 'bytes') return `${Math.round(value / 2 ** 20)} MiB`;
  if (unit === 's') return value < 1 ? `${Math.round(value * 1_000)} ms` : `${value} s`;
  if (unit === 'ops') return `${value}/s`;
  return String(value);
}
