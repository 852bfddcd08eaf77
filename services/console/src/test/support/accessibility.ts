// The check of a screen for people with disabilities, by axe-core in the page.
import type { Page } from '@taskgraph/testkit/stack/browser';
import axe from 'axe-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The violations of the screen, each with its element and reason. */
export async function violationsOn(page: Page): Promise<string[]> {
  // As a value of the debugger, the script needs no exception of the page's policy.
  await page.evaluate(`${axe.source}; undefined`);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
