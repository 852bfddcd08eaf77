// The people of the tasks of a plan, which lists people and their assignments apart from the tasks.
// Rule: IO2.
import type { LossReport } from './loss-report.ts';
import { excerpt, push } from './transfer-graph.ts';

export interface People {
  /** `isUsed` for an entry that stands for no person. */
  addPerson(id: string, name: string, isUsed?: boolean): void;
  has(id: string): boolean;
  /** Gives a task to a person, or reports the place if the file does not have the person. */
  assign(task: string, id: string, place: string): void;
  namesOf(task: string): readonly string[];
  /** Reports people without a task, and assignments to tasks that the file does not have. */
  reportUnused(tasks: ReadonlySet<string>): void;
}

export function createPeople(losses: LossReport): People {
  const names = new Map<string, string>();
  const byTask = new Map<string, string[]>();
  const used = new Set<string>();
  return {
    addPerson(id, name, isUsed = false) {
      names.set(id, name);
      if (isUsed) used.add(id);
    },
    has: (id) => names.has(id),
    assign(task, id, place) {
      const name = names.get(id);
      used.add(id);
      if (name === undefined) losses.note('a person of a task who is not in the file', place);
      else push(byTask, task, name);
    },
    namesOf: (task) => byTask.get(task) ?? [],
    reportUnused(tasks) {
      for (const [id, name] of names) if (!used.has(id)) losses.note('a person without a task', excerpt(name));
      for (const task of byTask.keys())
        if (!tasks.has(task)) losses.note('a person of a task that is not in the file', `task ${excerpt(task)}`);
    },
  };
}
