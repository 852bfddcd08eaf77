// The page while it loads: nothing that shows moves.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { openAs, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

/** Records each element that moves without a key or a press, with the distance. */
const WATCH = `{
  globalThis.taskgraphShifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      // A number that grows by a digit moves its own text.
      if (hadRecentInput || value < 0.0001) continue;
      const moves = sources.map(({ node, previousRect: from, currentRect: to }) =>
        (node?.className || node?.nodeName) + ' from ' + [from.x, from.y, from.width, from.height] + ' to ' + [to.x, to.y, to.width, to.height]);
      globalThis.taskgraphShifts.push(value.toFixed(4) + ': ' + moves.join('; '));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;

for (const path of ['/graph', '/ready']) {
  test(`[CON24] nothing moves while ${path} loads`, async ({ openConsole, newUser }) => {
    const user = await newUser('loader');
    const launch = await user.add('Go live');
    await user.client.batch((batch) => {
      for (let task = 1; task <= 450; task++) batch.node.add({ title: `Page ${task}`, target: launch });
    });
    const { page } = await openAs(openConsole, { url, email: user.email, path });
    await page.addInitScript(WATCH);
    await page.goto(`${url}${path}`);
    await page.locator('.picture[aria-busy="false"], .row').first().waitFor();
    await untilLive(page);
    // The shifts of a frame are reported with the next ones.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('taskgraphShifts')).toEqual([]);
  });
}
