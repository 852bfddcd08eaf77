// The canvas of the picture. It is larger than the view, so that most moves of the camera only move
// what is painted.
import type { Camera, Size } from './camera.ts';

/** By how much the canvas is larger than the view on each side, in pixels of the page. */
export const BORDER = 160;

/** The camera for which the canvas was painted, and the part of the border that was. */
interface PaintedArea {
  readonly camera: Camera;
  readonly margin: number;
}

export interface PaintedCanvas {
  readonly context: CanvasRenderingContext2D;
  resize(view: Size): void;
  /** Something that is painted has changed. */
  invalidate(): void;
  /** The part of the border to paint with the view; null if the canvas shows all of it. */
  marginToPaint(camera: Camera): number | null;
  /** The canvas is painted. */
  painted(camera: Camera, margin: number): void;
  /** Moves what is painted to where the camera has it. */
  follow(camera: Camera): void;
}

export function createPaintedCanvas(canvas: HTMLCanvasElement): PaintedCanvas {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('the browser has no canvas');
  let area: PaintedArea | null = null;

  /** How far the view has moved since, in pixels. */
  const shiftOf = ({ camera: { x, y, scale } }: PaintedArea, camera: Camera) =>
    [(x - camera.x) * scale, (y - camera.y) * scale] as const;
  return {
    context,
    resize({ width, height }) {
      area = null;
      const [fullWidth, fullHeight] = [width + 2 * BORDER, height + 2 * BORDER];
      canvas.width = Math.round(fullWidth * devicePixelRatio);
      canvas.height = Math.round(fullHeight * devicePixelRatio);
      canvas.style.inlineSize = `${fullWidth}px`;
      canvas.style.blockSize = `${fullHeight}px`;
    },
    invalidate() {
      area = null;
    },
    marginToPaint(camera) {
      // A border costs time. Only a move of the camera makes further moves likely.
      if (area?.camera.scale !== camera.scale) return 0;
      return Math.max(...shiftOf(area, camera).map(Math.abs)) <= area.margin ? null : BORDER;
    },
    painted(camera, margin) {
      area = { camera, margin };
    },
    follow(camera) {
      if (area === null) return;
      const [dx, dy] = shiftOf(area, camera);
      canvas.style.transform = `translate(${dx - BORDER}px, ${dy - BORDER}px)`;
    },
  };
}
