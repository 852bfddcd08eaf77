// Groups jobs by a key. The jobs of each key keep their order.
import type { Job } from './job.ts';

export function jobsByKey<K>(jobs: readonly Job[], keyOf: (job: Job) => K): Map<K, Job[]> {
  const groups = new Map<K, Job[]>();
  for (const job of jobs) {
    const group = groups.get(keyOf(job));
    if (group) group.push(job);
    else groups.set(keyOf(job), [job]);
  }
  return groups;
}
