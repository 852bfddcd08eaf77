// The elements of tasks in a view, for keys and pointers that act on all views.

/** What stands for a task in a list: some have the task itself inside. */
const TASKS = '[data-task], .row, .board-card';

/** The task to which an element of a view belongs. */
export function taskAt(element: Element | null): string | null {
  const found = element?.closest<HTMLElement>(TASKS);
  const named = found?.dataset.task === undefined ? found?.querySelector<HTMLElement>('[data-task]') : found;
  return named?.dataset.task ?? null;
}

/** The task on which keys act: that of the element with the focus, else the open one. */
export function activeTask(chosen: string | null): string | null {
  const focused = document.activeElement;
  // The card of a fan and a tile stand for many tasks, so the reader does not mean the open one there.
  if (focused !== null && focused.closest('[data-fan], [data-tile]') !== null) return null;
  return taskAt(focused) ?? chosen;
}

/** Moves the focus from tasks that may go away to the nearest one that stays. */
export function leaveTasks(ids: ReadonlySet<string>): void {
  const focused = taskAt(document.activeElement);
  if (focused === null || !ids.has(focused)) return;
  const all = [...document.querySelectorAll<HTMLElement>('#content [data-task]')];
  const place = all.findIndex(({ dataset }) => dataset.task === focused);
  const stays = ({ dataset }: HTMLElement) => !ids.has(dataset.task ?? '');
  const next = all.slice(place).find(stays) ?? all.slice(0, place).findLast(stays);
  (next ?? document.getElementById('content'))?.focus();
}
