// How often jobs of each kind ended how, since this process started.

/** The kinds of jobs: `expire` is about one node, all others are runs over the whole database. */
export type JobKind = 'expire' | 'sweep' | 'trash' | 'history' | 'rewrite' | 'retire';

/** By kind and outcome. Outcomes are few and fixed; each job's file names its own. */
export type Counters = Readonly<Record<JobKind, Record<string, number>>>;

/** The counters of this process. */
export const counters: Counters = { expire: {}, sweep: {}, trash: {}, history: {}, rewrite: {}, retire: {} };

/** Adds to a counter. */
export function count(kind: JobKind, outcome: string, by = 1): void {
  counters[kind][outcome] = (counters[kind][outcome] ?? 0) + by;
}
