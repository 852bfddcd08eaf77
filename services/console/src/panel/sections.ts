// The sections of the panel that buttons and keys focus. `data-section` marks the element that receives the
// focus.
import { goTo } from '../history.ts';
import { pathOf } from '../routes.ts';

export const SECTIONS = ['links', 'fields', 'access'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** The section to focus once the panel of this task is open. */
let pendingFocus: { readonly task: string; readonly name: SectionName } | null = null;

/** Moves the focus to a section of the open panel. Returns whether there is one. */
export function showSection(name: SectionName): boolean {
  const element = document.querySelector<HTMLElement>(`.panel [data-section="${name}"]`);
  if (element === null) return false;
  const { parentElement } = element;
  if (parentElement instanceof HTMLDetailsElement) parentElement.open = true;
  element.focus();
  element.scrollIntoView({ block: 'start' });
  return true;
}

/** Shows a section of a task, whose panel may be closed. */
export function openSection(task: string, name: SectionName): void {
  const path = pathOf({ view: 'task', id: task });
  if (location.pathname === path && showSection(name)) return;
  pendingFocus = { task, name };
  goTo(path);
}

/** Moves the focus to the section for which the panel was opened. Returns whether there is one. */
export function showPendingSection(task: string): boolean {
  const pending = pendingFocus;
  pendingFocus = null;
  return pending?.task === task && showSection(pending.name);
}
