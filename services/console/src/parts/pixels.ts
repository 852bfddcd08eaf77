// Lengths that follow the size of letters, which readers choose in their browser.

/** The pixels of a length in `rem`. */
export function pixelsOf(rem: number): number {
  return rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
