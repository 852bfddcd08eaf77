// Cuts a failing list of steps down to few that still fail, so that a person can read them.
import type { Step } from './step.ts';

/** Most runs that are spent on it. */
const TRIES = 50;

/** `failsAt` gives the index of the step at which a list fails, or null where it does not. Empty where the failure does not come again. */
export async function cutDown(
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

/** A list of steps as it can be kept in a test. */
export function written(steps: readonly Step[]): string {
  return steps.map((step) => JSON.stringify({ ...step })).join(',\n');
}

/** Where two values differ, one line for each place: what was expected and what came. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!isObject(expected) || !isObject(actual)) {
    const [should, is] = [JSON.stringify(expected), JSON.stringify(actual)];
    return should === is ? [] : [`- ${path}: ${should}`, `+ ${path}: ${is}`];
  }
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return names.flatMap((name) => differences(expected[name], actual[name], `${path}/${name}`));
}
