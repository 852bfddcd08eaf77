// The ids by which the tasks of a file name each other. Rule: IO2.
import type { LossReport } from './loss-report.ts';
import { excerpt, push } from './transfer-graph.ts';

export interface TaskIds {
  /** '' is no id. */
  add(id: string, key: string): void;
  /** The key of the only task with the id; null if there is none. */
  peek(id: string): string | null;
  /** As `peek`, and reports an id that no task or several tasks have. */
  find(id: string, place: string): string | null;
}

export function createTaskIds(losses: LossReport): TaskIds {
  const keys = new Map<string, string[]>();
  const peek = (id: string) => {
    const [key, another] = keys.get(id) ?? [];
    return key === undefined || another !== undefined ? null : key;
  };
  return {
    add(id, key) {
      if (id !== '') push(keys, id, key);
    },
    peek,
    find(id, place) {
      const key = peek(id);
      if (key === null)
        losses.note('a dependency on an id that no task or several tasks have', `${place}: ${excerpt(id)}`);
      return key;
    },
  };
}
