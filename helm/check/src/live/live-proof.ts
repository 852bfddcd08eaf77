// The dashboard on a running stack: a real Prometheus scrapes it, the database fails meanwhile, and every panel must have something to show.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { template } from '../helm.ts';
import { over } from '../matrix.ts';
import { repositoryPath } from '../repository.ts';
import { goTool, prometheusPrograms, validator } from '../tools.ts';
import { work } from './load.ts';
import { fillPanels } from './panels.ts';
import { draw } from './picture.ts';
import { startPrometheus } from './prometheus.ts';

const SERVICES = ['worker-1', 'worker-2', 'jobs-1', 'gateway-1'];
/** How long the work goes on, when the database is killed, and when and how long a worker stands still; seconds. */
const WORK_SECONDS = 150;
const OUTAGE_AT_SECONDS = 45;
const STOP_AT_SECONDS = 110;
const STOP_SECONDS = 12;

/** Runs the stack for two and a half minutes. Writes the picture to docs/dashboard.svg. Throws where a panel stays empty. */
export async function proveDashboard(): Promise<void> {
  const programs = await prometheusPrograms();
  if (programs === null) return console.log('SKIPPED: the dashboard, as there is neither Prometheus nor apt-get');
  const newest = (await validator()).versions.at(-1) as string;
  const values = over({ monitoring: { dashboard: { enabled: true } } });
  const { manifests } = await template(await goTool('helm3'), values, newest);
  const dashboard = manifests.find(
    ({ kind, data }) => kind === 'ConfigMap' && /"panels"/.test(Object.values(data).join()),
  );
  if (dashboard === undefined) throw new Error('the chart renders no dashboard');
  console.log(`a stack works for ${WORK_SECONDS} s; its database is killed, and a worker stands still ...`);
  const stack = await startTestStack({ workers: 2, jobs: 1, environment: { TASKGRAPH_LIMITS: 'on' } });
  try {
    const prometheus = await startPrometheus(
      join(programs, 'prometheus'),
      SERVICES.map((pod) => ({ pod, port: stack.adminPort(pod) })),
    );
    try {
      const from = Date.now() / 1_000;
      const [{ done, failed }] = await Promise.all([
        work(stack, performance.now() + WORK_SECONDS * 1_000),
        fail(stack),
      ]);
      const to = Date.now() / 1_000;
      const panels = await fillPanels(dashboard, prometheus, from, to);
      writeFileSync(repositoryPath('docs', 'dashboard.svg'), draw(panels, from, to));
      const lines = panels.reduce((sum, panel) => sum + panel.lines.length, 0);
      console.log(
        `dashboard: ${panels.length} panels have ${lines} lines, from ${done} turns done and ${failed} failed`,
      );
      console.log('docs/dashboard.svg is what it looks like');
    } finally {
      await prometheus.stop();
    }
  } finally {
    await stack.stop();
  }
}

async function fail(stack: TestStack): Promise<void> {
  await sleep(OUTAGE_AT_SECONDS * 1_000);
  stack.backends.kill('neo4j');
  await sleep((STOP_AT_SECONDS - OUTAGE_AT_SECONDS) * 1_000);
  // Longer than its lease: the other one takes its partitions over, and gives some back afterwards.
  const worker = stack.service('worker-1');
  worker.kill('SIGSTOP');
  await sleep(STOP_SECONDS * 1_000);
  worker.kill('SIGCONT');
}
