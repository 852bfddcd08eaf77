// Writes a plan of PSPLIB: numbered jobs with durations and successors, between one source and one
// sink. Rule: IO2.
import type { TransferGraph } from '../graph/transfer-graph.ts';

const STARS = '*'.repeat(72);

export function writePsplib({ nodes, links }: TransferGraph): string {
  const successors = successorsByJob({ nodes, links });
  const durations = [0, ...nodes.map(({ volume, status }) => (status === 3 ? 0 : volume)), 0];
  const column = (value: number | string, width = 5) => String(value).padStart(width);
  const relations = [...successors].map(([job, next]) =>
    [column(job), column(1), column(next.length), ...next.map((each) => column(each))].join('  '),
  );
  return [
    STARS,
    `jobs (incl. supersource/sink ):  ${successors.size}`,
    STARS,
    'PRECEDENCE RELATIONS:',
    'jobnr.    #modes  #successors   successors',
    ...relations,
    STARS,
    'REQUESTS/DURATIONS:',
    'jobnr. mode duration',
    '-'.repeat(72),
    ...durations.map((duration, index) => [column(index + 1), column(1), column(duration)].join('  ')),
    STARS,
    '',
  ].join('\n');
}

/** As in all files of the collection, job 1 is the super-source and the last job the super-sink. */
function successorsByJob({ nodes, links }: Pick<TransferGraph, 'nodes' | 'links'>): Map<number, number[]> {
  const jobs = new Map(nodes.map(({ key }, index) => [key, index + 2]));
  const sink = nodes.length + 2;
  const successors = new Map<number, number[]>(Array.from({ length: sink }, (_, index) => [index + 1, []]));
  const blocked = new Set<number>();
  for (const { source, target, type } of links) {
    if (type === 1) continue;
    const [from, to] = [jobs.get(source) ?? 0, jobs.get(target) ?? 0];
    successors.get(from)?.push(to);
    blocked.add(to);
  }
  for (const job of jobs.values()) {
    if (!blocked.has(job)) successors.get(1)?.push(job);
    if (successors.get(job)?.length === 0) successors.get(job)?.push(sink);
  }
  if (nodes.length === 0) successors.get(1)?.push(sink);
  return successors;
}
