// The sections of the panel to which buttons and keys lead. The element of a section that takes the focus
// has its name.
import { goTo } from '../history.ts';
import { pathOf } from '../routes.ts';

export const SECTIONS = ['links', 'fields', 'access'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** What the panel of a task shows first when it opens. */
let requested: { readonly task: string; readonly name: SectionName } | null = null;

/** Moves the focus to a section of the open panel. Returns whether there is one. */
export function showSection(name: SectionName): boolean {
  const place = document.querySelector<HTMLElement>(`.panel [data-section="${name}"]`);
  if (place === null) return false;
  const { parentElement } = place;
  if (parentElement instanceof HTMLDetailsElement) parentElement.open = true;
  place.focus();
  place.scrollIntoView({ block: 'start' });
  return true;
}

/** Shows a section of a task, whose panel may be closed. */
export function openSection(task: string, name: SectionName): void {
  const path = pathOf({ view: 'task', id: task });
  if (location.pathname === path && showSection(name)) return;
  requested = { task, name };
  goTo(path);
}

/** Moves the focus to the section for which the panel was opened. Returns whether there is one. */
export function showRequestedSection(task: string): boolean {
  const request = requested;
  requested = null;
  return request?.task === task && showSection(request.name);
}
