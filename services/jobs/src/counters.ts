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

type Runs = Record<'ok' | 'retried' | 'error', number>;

const noRuns = (): Runs => ({ ok: 0, retried: 0, error: 0 });

/** How tries of jobs ended in this process: well, with another try to come, or for good. */
export const runs: Readonly<Record<JobKind, Runs>> = {
  ...{ expire: noRuns(), sweep: noRuns(), trash: noRuns() },
  ...{ history: noRuns(), rewrite: noRuns(), retire: noRuns() },
};
