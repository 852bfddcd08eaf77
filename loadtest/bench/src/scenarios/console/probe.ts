// Opens pages of the console in Chromium, and reads their times, processor time and memory.
import { type Browser, openBrowser, type Page } from '@taskgraph/testkit/stack/browser';

/** Times in milliseconds since the navigation began. */
export interface PageTimes {
  /** The first contentful paint. */
  readonly firstPaint: number;
  /** The first frame with cards of the picture, or with rows. */
  readonly shown: number;
  /** The first frame in which the replica is live. */
  readonly live: number;
  /** The lengths of the tasks of the main thread above 50 ms. */
  readonly longTasks: readonly number[];
  /** The sum of all shifts that no input caused. */
  readonly layoutShift: number;
}

export interface ConsolePage {
  readonly page: Page;
  times(): Promise<PageTimes>;
  /** Empties the list of long tasks. */
  forgetTasks(): Promise<void>;
  /** Milliseconds of processor time that the page's process has taken so far. */
  cpuMs(): Promise<number>;
  /**
   * Counts frames until `act` ends. Counting itself makes the page draw a frame whenever it can, so
   * nothing else is measured meanwhile.
   */
  countFrames(act: () => Promise<void>): Promise<number>;
  /** Bytes of live objects. */
  heapBytes(): Promise<number>;
  elements(): Promise<number>;
  close(): Promise<void>;
}

export interface ConsoleBrowser {
  /** Opens an address, such as that of a sign-in link. Each page has a browser process and cookies of its own. */
  open(url: string): Promise<ConsolePage>;
  close(): Promise<void>;
}

/** It runs before any script of the page. A time is that of the frame after the change. */
const WATCH = `{
  const seen = { shown: '.picture[aria-busy="false"], .row', live: '.status-bar[data-state="live"]' };
  const times = { firstPaint: 0, longTasks: [], layoutShift: 0 };
  globalThis.taskgraphTimes = times;
  const look = () => {
    for (const [name, selector] of Object.entries(seen)) {
      if (name in times || document.querySelector(selector) === null) continue;
      times[name] = Infinity;
      requestAnimationFrame(() => setTimeout(() => { times[name] = performance.now(); }));
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
  const on = (type, read) => new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type, buffered: true });
  on('longtask', ({ duration }) => times.longTasks.push(duration));
  on('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) times.layoutShift += value; });
  on('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') times.firstPaint = startTime; });
}`;

const START_COUNT = `{
  const counter = { frames: 0, handle: 0 };
  const count = () => { counter.frames++; counter.handle = requestAnimationFrame(count); };
  counter.handle = requestAnimationFrame(count);
  globalThis.taskgraphFrames = counter;
}`;
const END_COUNT = 'cancelAnimationFrame(taskgraphFrames.handle), taskgraphFrames.frames';

const PATIENCE_MS = 300_000;
const VIEW = { width: 1_280, height: 900 };

export async function openConsoleBrowser(): Promise<ConsoleBrowser> {
  const browsers: Browser[] = [];
  return {
    async open(url) {
      const browser = await openBrowser();
      browsers.push(browser);
      return openConsolePage(browser, url);
    },
    async close() {
      await Promise.all(browsers.map((browser) => browser.close()));
    },
  };
}

async function openConsolePage(browser: Browser, url: string): Promise<ConsolePage> {
  const page = await browser.newPage({ viewport: VIEW });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(WATCH);
  await page.goto(url);
  const session = await page.context().newCDPSession(page);
  const system = await browser.newBrowserCDPSession();
  const read = <T>(expression: string) => page.evaluate<T>(expression);
  return {
    page,
    times: () => read<PageTimes>('taskgraphTimes'),
    forgetTasks: () => read<void>('taskgraphTimes.longTasks.splice(0)'),
    async cpuMs() {
      const { processInfo } = await system.send('SystemInfo.getProcessInfo');
      const renderers = processInfo.filter(({ type }) => type === 'renderer');
      return renderers.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
    },
    async countFrames(act) {
      await read<void>(START_COUNT);
      await act();
      return read<number>(END_COUNT);
    },
    async heapBytes() {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    },
    elements: () => read<number>("document.querySelectorAll('*').length"),
    close: () => browser.close(),
  };
}
