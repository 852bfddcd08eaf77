// A real Prometheus on loopback, which scrapes the admin ports of a stack as the chart's ServiceMonitor would.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, LOOPBACK } from '@taskgraph/launcher/processes/ports';
import { stringify } from 'yaml';
import { end } from '../running.ts';

export const NAMESPACE = 'taskgraph';
const READY_TRIES = 100;
const READY_WAIT_MS = 200;

/** What one service of the stack is called, and where its admin port is. */
export interface Target {
  readonly pod: string;
  readonly port: number;
}

/** One line of a graph: `[seconds since 1970, value]`, in the order of time. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [number, number])[];
}

export interface Prometheus {
  /** Evaluates an expression each second of a span of time, in seconds since 1970. Throws what Prometheus refuses. */
  query(expression: string, from: number, to: number): Promise<readonly Series[]>;
  stop(): Promise<void>;
}

/** Starts `program`; throws where it does not come up within 20 s. */
export async function startPrometheus(program: string, targets: readonly Target[]): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-prometheus-'));
  const [port] = await freePorts(1);
  const address = `${LOOPBACK}:${port}`;
  writeFileSync(join(folder, 'prometheus.yml'), stringify(configurationOf(targets)));
  const flags = ['--config.file', join(folder, 'prometheus.yml'), '--storage.tsdb.path', join(folder, 'data')];
  const child = spawn(program, [...flags, '--web.listen-address', address], { stdio: 'ignore' });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true });
  };
  for (let tries = 0; !(await isReady(address)); tries++) {
    if (tries === READY_TRIES || child.exitCode !== null) {
      await stop();
      throw new Error('Prometheus did not start');
    }
    await sleep(READY_WAIT_MS);
  }
  return { stop, query: (expression, from, to) => query(address, expression, from, to) };
}

function configurationOf(targets: readonly Target[]): object {
  const static_configs = targets.map(({ pod, port }) => ({
    targets: [`${LOOPBACK}:${port}`],
    labels: { namespace: NAMESPACE, pod, service: `taskgraph-${pod.replace(/-\d+$/, '')}-admin` },
  }));
  return { global: { scrape_interval: '1s' }, scrape_configs: [{ job_name: 'taskgraph', static_configs }] };
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`http://${address}/-/ready`)).ok;
  } catch {
    // Not listening yet; the caller bounds how often this is asked.
    return false;
  }
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

async function query(address: string, expression: string, from: number, to: number): Promise<Series[]> {
  const asked = new URLSearchParams({ query: expression, start: String(from), end: String(to), step: '1' });
  const response = await fetch(`http://${address}/api/v1/query_range?${asked}`);
  const { data, error } = (await response.json()) as Answer;
  if (data === undefined) throw new Error(`Prometheus refuses ${expression}: ${error}`);
  return data.result.map(({ metric, values }) => ({
    labels: metric,
    // A quantile of nothing is NaN, which no graph shows.
    points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
  }));
}
