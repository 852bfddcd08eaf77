import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Camera, fitArea, pan, reveal, shownArea, toView, toWorld, zoomAt } from './camera.ts';

const size = { width: 800, height: 600 };
const camera = fc.record<Camera>({
  x: fc.integer({ min: -10_000, max: 10_000 }),
  y: fc.integer({ min: -10_000, max: 10_000 }),
  scale: fc.double({ min: 0.02, max: 2, noNaN: true }),
});
const point = fc.record({ x: fc.integer({ min: 0, max: 800 }), y: fc.integer({ min: 0, max: 600 }) });

test('[CON7] a point of the view is where the world shows', () => {
  fc.assert(
    fc.property(camera, point, (at, view) => {
      const back = toView(at, size, toWorld(at, size, view));
      expect(back.x).toBeCloseTo(view.x, 3);
      expect(back.y).toBeCloseTo(view.y, 3);
    }),
  );
});

test('[CON7] zooming leaves the world under the pointer, within its bounds', () => {
  fc.assert(
    fc.property(camera, point, fc.double({ min: 0.01, max: 100, noNaN: true }), (before, view, factor) => {
      const after = zoomAt(before, size, view, factor);
      const [one, other] = [toWorld(before, size, view), toWorld(after, size, view)];
      expect(other.x).toBeCloseTo(one.x, 3);
      expect(other.y).toBeCloseTo(one.y, 3);
      expect(after.scale).toBeGreaterThanOrEqual(0.01);
      expect(after.scale).toBeLessThanOrEqual(2);
    }),
  );
});

test('[CON7] the world follows the pointer', () => {
  expect(pan({ x: 0, y: 0, scale: 0.5 }, 10, -20)).toEqual({ x: -20, y: 40, scale: 0.5 });
});

test('[CON7] everything fits, and a small graph is not enlarged', () => {
  const wide = fitArea({ left: 0, top: 0, right: 7_200, bottom: 100 }, size);
  expect(wide).toEqual({ x: 3_600, y: 50, scale: 0.1 });
  expect(fitArea({ left: 0, top: 0, right: 10, bottom: 10 }, size).scale).toBe(1);
});

test('[CON7] a card out of view is revealed by the least move, and one in view by none', () => {
  const at = { x: 0, y: 0, scale: 1 };
  const inView = { left: -100, top: -28, right: 100, bottom: 28 };
  expect(reveal(at, size, inView)).toEqual(at);
  const beyond = { left: 900, top: -28, right: 1_100, bottom: 28 };
  const moved = reveal(at, size, beyond);
  expect(moved).toEqual({ x: 740, y: 0, scale: 1 });
  expect(shownArea(moved, size, 0).right).toBe(1_140);
});
