// The pointer selects tasks in each view: Ctrl or the command key toggles one, and Shift extends the
// selection to it. Rule: CON25.
import { useEffect } from 'react';
import { placeOf } from '../routes.ts';
import { extendTo, toggleSelected } from './selection.ts';
import { taskAt } from './task-elements.ts';

/** What has an act of its own. */
const CONTROLS = 'input, select, summary, button:not([data-task])';

/** The task whose panel is open. */
function openTask(): string | null {
  const place = placeOf(location.pathname);
  return place.view === 'task' ? place.id : null;
}

export function useSelectionPointer(): void {
  useEffect(() => {
    const taskOf = (event: MouseEvent): string | null => {
      const target = event.target as Element;
      const isOnTask = target.closest('#content') !== null && target.closest(CONTROLS) === null;
      return isOnTask && (event.ctrlKey || event.metaKey || event.shiftKey) ? taskAt(target) : null;
    };
    const select = (event: MouseEvent) => {
      const id = taskOf(event);
      if (id === null) return;
      // A link would open another tab, and the view would open the panel.
      event.preventDefault();
      event.stopPropagation();
      if (event.shiftKey) extendTo(id, taskAt(document.activeElement) ?? openTask() ?? id);
      else toggleSelected(id);
    };
    const press = (event: MouseEvent) => {
      // The browser would select text.
      if (event.shiftKey && taskOf(event) !== null) event.preventDefault();
    };
    // Before the handlers of the views.
    addEventListener('click', select, { capture: true });
    addEventListener('mousedown', press, { capture: true });
    return () => {
      removeEventListener('click', select, { capture: true });
      removeEventListener('mousedown', press, { capture: true });
    };
  }, []);
}
