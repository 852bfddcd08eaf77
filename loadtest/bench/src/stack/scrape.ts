// Reads the services' counters from their admin ports.
import type { BenchStack } from './bench-stack.ts';

/** The counter of the statements that workers send to the database. */
export const STATEMENTS = 'taskgraph_statements_total';

/** Counts connecting sockets that copied another socket's feeds instead of looking them up. */
export const COPIED_LOOKUPS = 'taskgraph_socket_feed_lookups_total{way="copied"}';

/**
 * The sum of a metric over all its labels, from the text of /metrics. If `metric` contains labels,
 * the value of that series. Zero if it is missing.
 */
export function metricTotal(text: string, metric: string): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith(`${metric} `)) sum += Number(line.slice(metric.length + 1).split(' ')[0]);
    const end = line.search(/[{ ]/);
    if (line[end] !== '{' || line.slice(0, end) !== metric) continue;
    // The value follows the labels; an exemplar may follow the value.
    sum += Number(line.slice(line.indexOf('}') + 2).split(' ')[0]);
  }
  return sum;
}

/** The sum of a counter over all workers. */
export function workerTotal(stack: BenchStack, metric: string): Promise<number> {
  return roleTotal(stack, 'worker', metric);
}

/** The sum of a counter over all services of a role. */
export async function roleTotal({ admin }: BenchStack, role: 'worker' | 'gateway', metric: string): Promise<number> {
  const urls = Object.entries(admin).filter(([name]) => name.startsWith(`${role}-`));
  const texts = await Promise.all(urls.map(async ([, url]) => (await fetch(`${url}/metrics`)).text()));
  if (!texts.every((text) => text.includes(metric))) throw new Error(`a ${role} does not count ${metric}`);
  return texts.reduce((sum, text) => sum + metricTotal(text, metric), 0);
}
