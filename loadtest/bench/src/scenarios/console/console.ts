// Scenario `console`: the web console in Chromium, with 5,000 and 20,000 tasks, under the default
// limits for reads. Its figures are compared with fixed bounds instead of another program, so a ratio
// above 1 misses the bound.
import { connect, type TaskgraphClient } from '@taskgraph/client';
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { createForest, type Forest } from '../../forest.ts';
import { median, percentile } from '../../measure/figures.ts';
import { onOwnStack } from '../../own-stack.ts';
import { type Result, resultOf } from '../../report/result.ts';
import type { Bench } from '../../scenario.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { type BenchUser, createUsers } from '../../stack/users.ts';
import { type ConsoleBrowser, type ConsolePage, openConsoleBrowser } from './probe.ts';

const SIZES = [5_000, 20_000] as const;
type Size = (typeof SIZES)[number];

/** The bounds, by size where they depend on it. */
const BOUNDS = {
  firstPaintMs: 800,
  blockingMs: 150,
  shownMs: { 5000: 1_000, 20000: 2_000 },
  liveMs: { 5000: 3_000, 20000: 10_000 },
  frameCpuMs: { 5000: 10, 20000: 20 },
  changeCpuMs: { 5000: 15, 20000: 15 },
  paintMs: 100,
  heapMb: { 5000: 40, 20000: 120 },
  growthMb: 5,
  elements: 1_500,
  longestTaskMs: 50,
} as const;

/** Reads have their default limits. The turns sign in, connect and write more often than people. */
const LIMITS = {
  TASKGRAPH_LIMITS: 'on',
  LIMIT_LOGIN: '1000/60',
  LIMIT_CONNECT: '1000/60',
  LIMIT_UPGRADE: '1000/60',
  LIMIT_SOCKET: '1000000/60',
  LIMIT_REST: '1000000/60',
  LIMIT_FILES: '100000/60',
  LIMIT_BATCH_RUN: '100000/10',
};

/** Tasks above this length block the page. */
const TASK_MS = 50;
const MEGABYTE = 1_000_000;
const STEPS = 60;
const CHANGES = 40;
/** As many as fit into a batch. */
const BATCH = 500;

export const consolePages = onOwnStack(run, { environment: LIMITS });

async function run(bench: Bench, stack: BenchStack): Promise<Result[]> {
  const browser = await openConsoleBrowser();
  try {
    const results: Result[] = [];
    for (const size of bench.pace.quick ? SIZES.slice(0, 1) : SIZES) {
      results.push(...(await measureSize(bench, { stack, browser, size })));
    }
    return results;
  } finally {
    await browser.close();
  }
}

interface Setting {
  readonly stack: BenchStack;
  readonly browser: ConsoleBrowser;
  readonly size: Size;
}

async function measureSize({ pace, note }: Bench, setting: Setting): Promise<Result[]> {
  const { stack, size } = setting;
  const url = stack.urls[0] as string;
  const visits: Visit[] = [];
  for (let turn = 1; turn <= pace.turns; turn++) {
    const visit = await firstVisit(setting);
    note(`${size}, visit ${turn}: shown after ${visit.shown.toFixed(0)} ms, live after ${visit.live.toFixed(0)} ms`);
    visits.push(visit);
  }
  const { owner, forest } = await createOwner(setting);
  const client = await connect({ url, token: owner.token });
  const opened = await openGraph(setting, owner);
  try {
    const results = visitResults(size, visits);
    results.push(await memoryResult(size, opened));
    results.push(await elementsResult(size, opened));
    await enterCards(opened);
    for (const act of ['pan', 'zoom'] as const) results.push(await cameraResult(act, size, opened));
    results.push(...(await changeResults(size, { opened, client, id: forest.root })));
    const updates = pace.quick ? 1_000 : 36_000;
    results.push(...(await floodResults(size, { opened, client, forest, updates, note })));
    return results;
  } finally {
    client.close();
    await opened.close();
  }
}

let users = 0;

async function createOwner({ stack: { access }, size }: Setting): Promise<{ owner: BenchUser; forest: Forest }> {
  const [owner] = (await createUsers(access, `console-${users++}`, 1)) as [BenchUser];
  return { owner, forest: await createForest(access, owner.email, size) };
}

/** Opens the picture in a browser that has just signed in. */
async function openGraph({ stack, browser }: Setting, owner: BenchUser): Promise<ConsolePage> {
  const url = stack.urls[0] as string;
  const { code, output } = await runAdmin(stack.stack, 'sign-in-link', ['--email', owner.email, '--url', url]);
  if (code !== 0) throw new Error(output);
  const opened = await browser.open(`${url}/signin${output.match(/#link=\S+/)?.[0]}`);
  await untilLive(opened);
  await opened.page.goto(`${url}/graph`);
  await untilLive(opened);
  await opened.page.locator('.picture[aria-busy="false"]').waitFor();
  return opened;
}

async function untilLive({ page }: ConsolePage): Promise<void> {
  await page.locator('.status-bar[data-state="live"]').waitFor();
}

interface Visit {
  readonly firstPaint: number;
  readonly shown: number;
  readonly live: number;
  readonly blocking: number;
  readonly layoutShift: number;
}

/** The page is loaded while its user has never had it: no copy of the graph exists. */
async function firstVisit(setting: Setting): Promise<Visit> {
  const { owner } = await createOwner(setting);
  const opened = await openGraph(setting, owner);
  const { longTasks, ...times } = await opened.times();
  await opened.close();
  return { ...times, blocking: longTasks.reduce((sum, ms) => sum + ms - TASK_MS, 0) };
}

function visitResults(size: Size, visits: readonly Visit[]): Result[] {
  const of = (name: keyof Visit) => median(visits.map((visit) => visit[name]));
  const shift = Math.max(...visits.map(({ layoutShift }) => layoutShift));
  return [
    bounded(`console ${size} first-paint`, 'ms', of('firstPaint'), BOUNDS.firstPaintMs),
    bounded(`console ${size} shown`, 'ms', of('shown'), BOUNDS.shownMs[size]),
    bounded(`console ${size} live`, 'ms', of('live'), BOUNDS.liveMs[size], [`layout shift ${shift.toFixed(4)}`]),
    bounded(`console ${size} blocking`, 'ms', of('blocking'), BOUNDS.blockingMs),
  ];
}

async function memoryResult(size: Size, opened: ConsolePage): Promise<Result> {
  return bounded(`console ${size} heap`, 'MB', (await opened.heapBytes()) / MEGABYTE, BOUNDS.heapMb[size]);
}

async function elementsResult(size: Size, opened: ConsolePage): Promise<Result> {
  return bounded(`console ${size} elements`, 'elements', await opened.elements(), BOUNDS.elements);
}

/** From the tiles of branches to the cards of one, as many as a view ever shows. */
async function enterCards({ page }: ConsolePage): Promise<void> {
  await page.locator('.tile').last().click();
  await page.locator('.picture[data-elements="cards"]').waitFor();
}

/** The processor time of the page's process for each frame while the camera moves. */
async function cameraResult(act: 'pan' | 'zoom', size: Size, opened: ConsolePage): Promise<Result> {
  const { page } = opened;
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(width / 2, height - 80);
  if (act === 'pan') await page.mouse.down();
  const cpuBefore = await opened.cpuMs();
  const frames = await opened.countFrames(async () => {
    for (let step = 0; step < STEPS; step++) {
      if (act === 'pan') await page.mouse.move(width / 2 - 3 * step, height - 80 - 2 * step);
      else await page.mouse.wheel(0, step < STEPS / 2 ? -60 : 60);
    }
  });
  const cpu = (await opened.cpuMs()) - cpuBefore;
  if (act === 'pan') await page.mouse.up();
  return bounded(`console ${size} ${act}`, 'CPU ms a frame', cpu / Math.max(1, frames), BOUNDS.frameCpuMs[size], [
    `${frames} frames`,
  ]);
}

interface Changing {
  readonly opened: ConsolePage;
  readonly client: TaskgraphClient;
}

/** One change at a time, until the panel of the task shows it. */
async function changeResults(
  size: Size,
  { opened, client, id }: Changing & { readonly id: string },
): Promise<Result[]> {
  const { page } = opened;
  await page.goto(`${new URL(page.url()).origin}/task/${id}`);
  await untilLive(opened);
  const title = page.locator('.panel h2');
  await title.waitFor();
  const times: number[] = [];
  const cpuBefore = await opened.cpuMs();
  for (let change = 0; change < CHANGES; change++) {
    const text = `Changed ${change}`;
    const painted = page.evaluate<number>(`new Promise((resolve) => {
      const heading = document.querySelector('.panel h2');
      const look = (_, observer) => {
        if (heading.textContent !== ${JSON.stringify(text)}) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
      };
      const observer = new MutationObserver(look);
      observer.observe(heading, { subtree: true, childList: true, characterData: true });
      // On a busy machine the change may come first.
      look([], observer);
    })`);
    const startedAt = performance.timeOrigin + performance.now();
    await client.node.update({ id, title: text });
    times.push((await painted) - startedAt);
  }
  const cpu = ((await opened.cpuMs()) - cpuBefore) / CHANGES;
  return [
    bounded(`console ${size} to-paint`, 'ms p95', percentile(times, 0.95), BOUNDS.paintMs, [
      `p50 ${median(times).toFixed(0)} ms from the call of another program to the frame`,
    ]),
    bounded(`console ${size} change`, 'CPU ms', cpu, BOUNDS.changeCpuMs[size]),
  ];
}

interface Flood extends Changing {
  readonly forest: Forest;
  readonly updates: number;
  readonly note: (line: string) => void;
}

/** Many changes as fast as the service makes them. Its last one is awaited in the page. */
async function floodResults(size: Size, { opened, client, forest, updates, note }: Flood): Promise<Result[]> {
  const { page } = opened;
  const leaves = forest.projects.flatMap((project) => project.leaves);
  const before = await opened.heapBytes();
  await opened.forgetTasks();
  for (let done = 0; done < updates; done += BATCH) {
    await client.batch((batch) => {
      for (let index = 0; index < BATCH; index++) {
        batch.node.update({ id: leaves[(done + index) % leaves.length] as string, title: `Update ${done + index}` });
      }
    });
    if (done % (20 * BATCH) === 0) note(`${done.toLocaleString('en')} updates`);
  }
  const end = `End ${updates}`;
  await client.node.update({ id: forest.root, title: end });
  await page.locator('.panel h2', { hasText: end }).waitFor();
  const { longTasks } = await opened.times();
  const growth = (await opened.heapBytes()) - before;
  return [
    bounded(`console ${size} growth`, 'MB', growth / MEGABYTE, BOUNDS.growthMb, [
      `after ${updates.toLocaleString('en')} updates in batches of ${BATCH}`,
    ]),
    bounded(`console ${size} longest-task`, 'ms', Math.max(0, ...longTasks), BOUNDS.longestTaskMs, [
      `${longTasks.length} tasks above ${TASK_MS} ms during the updates`,
    ]),
  ];
}

function bounded(
  scenario: string,
  unit: string,
  ours: number,
  baseline: number,
  notes: readonly string[] = [],
): Result {
  return resultOf({ scenario, ours, baseline, unit, notes: [...notes, `bound: ${baseline} ${unit}`] });
}
