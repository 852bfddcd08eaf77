// Several writers in one process; both sides use it.
import { percentile } from '../measure/figures.ts';
import { createSubtree, type Subtree, type WriteTarget, writeOnce } from './workload.ts';

export interface WriteResult {
  readonly commands: number;
  readonly ms: number;
  /** Milliseconds from call to answer. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
}

/** The acts of a process of writers. */
export interface WriterActs {
  /** Prepares this many writers; not measured. */
  prepare(writers: number): Promise<void>;
  /**
   * All prepared writers run concurrently, each one command after another, until the time is over.
   */
  write(input: { ms: number }): Promise<WriteResult>;
}

/** Every writer keeps its subtree for all turns. `targetOf` returns the target of a writer. */
export function createWriters(owners: number, targetOf: (writer: number) => WriteTarget): WriterActs {
  const roots = new Map<number, Promise<string>>();
  const subtrees: Subtree[] = [];
  let active = 0;
  const rootOf = (owner: number) => {
    const root = roots.get(owner) ?? targetOf(owner).addRoot(owner);
    roots.set(owner, root);
    return root;
  };
  return {
    async prepare(writers) {
      active = writers;
      const missing = Array.from({ length: Math.max(0, writers - subtrees.length) }, (_, at) => subtrees.length + at);
      const made = await Promise.all(
        missing.map(async (writer) => {
          const owner = writer % owners;
          return createSubtree(targetOf(writer), owner, await rootOf(owner));
        }),
      );
      subtrees.push(...made);
    },
    async write({ ms }) {
      const startedAt = performance.now();
      const waits: number[] = [];
      const writer = async (subtree: Subtree, at: number) => {
        for (let calledAt = performance.now(); calledAt - startedAt < ms; ) {
          await writeOnce(targetOf(at), subtree);
          const answeredAt = performance.now();
          waits.push(answeredAt - calledAt);
          calledAt = answeredAt;
        }
      };
      await Promise.all(subtrees.slice(0, active).map(writer));
      const took = performance.now() - startedAt;
      const [p50, p99, slowest] = [0.5, 0.99, 1].map((share) => percentile(waits, share)) as [number, number, number];
      return { commands: waits.length, ms: took, p50, p99, slowest };
    },
  };
}
