// Plans in the PSPLIB format, of any size.

/**
 * A plan of jobs in layers. The successors of a job are the jobs of the next layer. `makespan` is
 * its longest path.
 */
export function psplib(layers: number, width: number): { text: string; makespan: number; jobs: number; links: number } {
  const jobs = layers * width + 2;
  const durationOf = (job: number) => (job === 1 || job === jobs ? 0 : ((job * 7) % 10) + 1);
  const layerOf = (layer: number) => Array.from({ length: width }, (_, index) => 2 + layer * width + index);
  const next = (job: number) => {
    if (job === jobs) return [];
    const layer = job === 1 ? -1 : Math.floor((job - 2) / width);
    return layer + 1 === layers ? [jobs] : layerOf(layer + 1);
  };
  const all = Array.from({ length: jobs }, (_, index) => index + 1);
  const rows = all.map((job) => [job, 1, next(job).length, ...next(job)].join('   '));
  const makespan = Array.from({ length: layers }, (_, layer) => Math.max(...layerOf(layer).map(durationOf))).reduce(
    (sum, each) => sum + each,
    0,
  );
  const text = [
    'PRECEDENCE RELATIONS:',
    'jobnr.',
    ...rows,
    '****',
    'REQUESTS/DURATIONS:',
    'jobnr.',
    ...all.map((job) => `${job} 1 ${durationOf(job)} 3`),
    '****',
  ];
  return { text: text.join('\n'), makespan, jobs, links: all.reduce((sum, job) => sum + next(job).length, 0) };
}
