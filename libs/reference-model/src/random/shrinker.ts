// Reduces a failing list of steps to a short one that still fails, for people to read.
import type { Step } from './step.ts';

/** The most runs to spend on it. */
const TRIES = 50;

/**
 * `failsAt` returns the index of the step at which a list fails, or null. The result is empty if
 * the failure does not repeat.
 */
export async function shrinkSteps(
  steps: readonly Step[],
  failsAt: (steps: readonly Step[]) => Promise<number | null>,
): Promise<readonly Step[]> {
  if ((await failsAt(steps)) === null) return [];
  let left = steps;
  let tries = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      if (tries++ >= TRIES) return left;
      const shorter = [...left.slice(0, Math.max(from, 0)), ...left.slice(from + size)];
      const at = await failsAt(shorter);
      if (at !== null) left = shorter.slice(0, at + 1);
    }
  }
  return left;
}

/** A list of steps in a form that a test can store. */
export function formatSteps(steps: readonly Step[]): string {
  return steps.map((step) => JSON.stringify({ ...step })).join(',\n');
}

/** The differences between two values, one line for each place: expected and received. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!isObject(expected) || !isObject(actual)) {
    const [should, is] = [JSON.stringify(expected), JSON.stringify(actual)];
    return should === is ? [] : [`- ${path}: ${should}`, `+ ${path}: ${is}`];
  }
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return names.flatMap((name) => differences(expected[name], actual[name], `${path}/${name}`));
}
