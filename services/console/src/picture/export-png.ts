// The picture as pixels, by the painter of the canvas, at twice the size of the page.

import type { ThemedPicture } from './current-picture.ts';
import { areaOf, type PictureSource, shownNumbers } from './export-svg.ts';
import { limitFans } from './fans.ts';
import { NO_HIGHLIGHTS, paint } from './painter.ts';
import type { PlacedScene } from './scene.ts';

const RATIO = 2;
/** A smaller picture has titles that nobody can read. */
const LEAST_RATIO = 0.5;
/** Of a side and of the whole picture. Browsers draw nothing on a larger canvas. */
const MOST_SIDE = 16_384;
const MOST_PIXELS = 100_000_000;

/** Null if the picture is too large. */
export async function pngOf({ scene, theme, critical, shown }: ThemedPicture): Promise<Blob | null> {
  const numbers = shownNumbers({ scene, shown });
  const { left, top, right, bottom } = areaOf(scene, numbers);
  const size = { width: right - left, height: bottom - top };
  const fitted = Math.min(
    RATIO,
    MOST_SIDE / Math.max(size.width, size.height),
    Math.sqrt(MOST_PIXELS / (size.width * size.height)),
  );
  if (fitted < LEAST_RATIO) return null;
  const canvas = document.createElement('canvas');
  canvas.width = Math.floor(size.width * fitted);
  canvas.height = Math.floor(size.height * fitted);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return null;
  const camera = { x: (left + right) / 2, y: (top + bottom) / 2, scale: 1 };
  const picture = {
    scene: limited(scene, shown),
    camera,
    size,
    border: 0,
    margin: 0,
    theme,
    hasCards: true,
    shortTitles: new Map(),
  };
  paint(context, { ...NO_HIGHLIGHTS, ...picture, critical }, fitted);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/** Without the tasks that are not shown, and their links. */
function limited(scene: PlacedScene, shown: PictureSource['shown']): PlacedScene {
  const { graph, types, counts, layout } = scene;
  const fans = limitFans(scene.fans, shown);
  const has = (number: number) => fans.has(number) || shown.has(scene.ids[number] as string);
  const kept = [...types.keys()].filter(
    (link) => has(graph.sources[link] as number) && has(graph.targets[link] as number),
  );
  const bendOffsets = new Int32Array(kept.length + 1);
  const bendRows: number[] = [];
  kept.forEach((link, place) => {
    bendRows.push(...layout.bendRows.subarray(layout.bendOffsets[link], layout.bendOffsets[link + 1]));
    bendOffsets[place + 1] = bendRows.length;
  });
  return {
    ...scene,
    fans,
    tasks: scene.tasks.map((task, number) => (has(number) ? task : undefined)),
    graph: {
      count: graph.count,
      sources: Int32Array.from(kept, (link) => graph.sources[link] as number),
      targets: Int32Array.from(kept, (link) => graph.targets[link] as number),
    },
    types: Uint8Array.from(kept, (link) => types[link] as number),
    counts: Int32Array.from(kept, (link) => {
      const fan = fans.get(graph.sources[link] as number) ?? fans.get(graph.targets[link] as number);
      return fan?.hidden.length ?? (counts[link] as number);
    }),
    layout: { ...layout, bendOffsets, bendRows: Float64Array.from(bendRows) },
  };
}
