// The camera of the picture: which part of the world shows, and how large. Only the reader moves it.

/** The point (`x`, `y`) of the world is at the centre of the view; `scale` pixels show one unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of the world. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const LEAST_SCALE = 0.01;
const MOST_SCALE = 2;
/** A small graph is not enlarged to fill the view. */
const FITTED_SCALE = 1;
const MARGIN = 40;

export function toView({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point {
  return { x: (point.x - x) * scale + width / 2, y: (point.y - y) * scale + height / 2 };
}

export function toWorld({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point {
  return { x: (point.x - width / 2) / scale + x, y: (point.y - height / 2) / scale + y };
}

/** Moves the world by a distance in the view. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** Changes the scale by a factor; the world stays under `point` of the view. */
export function zoomAt(camera: Camera, size: Size, point: Point, factor: number): Camera {
  const fixed = toWorld(camera, size, point);
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, camera.scale * factor));
  const moved = toWorld({ ...camera, scale }, size, point);
  return { x: camera.x + fixed.x - moved.x, y: camera.y + fixed.y - moved.y, scale };
}

/** Shows the whole area. */
export function fitArea({ left, top, right, bottom }: Area, { width, height }: Size): Camera {
  const scale = Math.min(
    FITTED_SCALE,
    (width - 2 * MARGIN) / Math.max(1, right - left),
    (height - 2 * MARGIN) / Math.max(1, bottom - top),
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(LEAST_SCALE, scale) };
}

/** The part of the world in the view, enlarged by `margin` units of the world on each side. */
export function shownArea(camera: Camera, size: Size, margin: number): Area {
  const { x: left, y: top } = toWorld(camera, size, { x: 0, y: 0 });
  const { x: right, y: bottom } = toWorld(camera, size, { x: size.width, y: size.height });
  return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
}

/** The camera that shows `area`, moved as little as possible; its scale stays. */
export function reveal(camera: Camera, size: Size, area: Area): Camera {
  const shown = shownArea(camera, size, -MARGIN / camera.scale);
  return {
    ...camera,
    x: camera.x + shift(area.left, area.right, shown.left, shown.right),
    y: camera.y + shift(area.top, area.bottom, shown.top, shown.bottom),
  };
}

function shift(start: number, end: number, first: number, last: number): number {
  if (start < first) return start - first;
  return end > last ? Math.min(end - last, start - first) : 0;
}
