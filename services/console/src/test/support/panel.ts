// The panel of a task in a browser test, and the places of parts of the page.
import type { Page } from '@taskgraph/testkit/stack/browser';
import type { ConsoleUser } from './console-fixture.ts';

export const panelOf = (page: Page) => page.getByRole('complementary');

/** Adds a task with many links: the sections after them are far away for keys. */
export async function addBusyTask(user: ConsoleUser): Promise<string> {
  const id = await user.add('Go live', { tags: ['web'], assignee: ['Ann'] });
  await user.client.batch((batch) => {
    for (let task = 1; task <= 12; task++) batch.node.add({ title: `Step ${task}`, target: id });
  });
  return id;
}

export async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}
