// Reads the services' counters from their admin ports.
import type { BenchStack } from './bench-stack.ts';

/** The counter of the statements that workers send to the database. */
export const STATEMENTS = 'taskgraph_statements_total';

/**
 * The sum of a metric over all its labels, from the text of /metrics; zero if the metric is
 * missing.
 */
export function sumOf(text: string, metric: string): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    const end = line.search(/[{ ]/);
    if (line.slice(0, end) !== metric) continue;
    // The value follows the labels; an exemplar may follow the value.
    const rest = line[end] === '{' ? line.slice(line.indexOf('}') + 2) : line.slice(end + 1);
    sum += Number(rest.split(' ')[0]);
  }
  return sum;
}

/** The sum of a counter over all workers. */
export async function countOfWorkers({ admin }: BenchStack, metric: string): Promise<number> {
  const urls = Object.entries(admin).filter(([name]) => name.startsWith('worker-'));
  const texts = await Promise.all(urls.map(async ([, url]) => (await fetch(`${url}/metrics`)).text()));
  if (!texts.every((text) => text.includes(metric))) throw new Error(`a worker does not count ${metric}`);
  return texts.reduce((sum, text) => sum + sumOf(text, metric), 0);
}
