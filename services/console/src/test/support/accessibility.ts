// The check of a screen for people with disabilities, by axe-core in the page.
import { mkdirSync } from 'node:fs';
import type { Page } from '@taskgraph/testkit/stack/browser';
import axe from 'axe-core';
import { expect } from 'vitest';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A folder for a picture of each screen; none are written without it. */
const PICTURES = process.env.CONSOLE_PICTURES;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The violations of the screen, each with its element and reason. */
async function violationsOn(page: Page): Promise<string[]> {
  // As a value of the debugger, the script needs no exception of the page's policy.
  await page.evaluate(`${axe.source}; undefined`);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Expects no violation in either theme. */
export async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violationsOn(page), `${name}, ${colorScheme}`).toEqual([]);
    if (PICTURES === undefined) continue;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` });
  }
}

/**
 * The texts that leave the window at a side, or are so narrow that they break between letters. The
 * navigation scrolls sideways.
 */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('h1, h2, h3, p, a, button, input, li, dd, .facts span')]
    .filter((element) => !element.matches('.skip, .sidebar nav *') && element.checkVisibility())
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, { left, right, width, height }]) => left < 0 || right > innerWidth || height > 8 * width)
    .map(([element]) => element.outerHTML)`);
}
