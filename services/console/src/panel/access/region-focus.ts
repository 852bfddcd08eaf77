// The focus after an act that may remove the control that began it.

/** The part of the page around a control, which stays when the control goes. */
export function regionOf(control: HTMLElement | null): HTMLElement | null {
  return control?.closest<HTMLElement>('section') ?? control?.closest<HTMLElement>('details') ?? control;
}

/** Focuses the heading of a region; without one, the region. */
export function focusRegion(region: HTMLElement | null): void {
  const heading = region?.querySelector<HTMLElement>('h2, h3, summary') ?? region;
  if (/^H\d$/.test(heading?.tagName ?? '')) heading?.setAttribute('tabindex', '-1');
  heading?.focus();
}
