// Compares a worker with the reference model: answers, pushes, and the views of all readers.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { Comparison } from '@taskgraph/reference-model/comparison/comparison';
import type { TestWorker } from '../support/harness.ts';
import { compareKeptPages } from './cached-pages.ts';
import type { Replica } from './checked-reads.ts';
import { compareViews } from './views.ts';

export class WorkerComparison extends Comparison {
  readonly #replicas = new Map<string, Replica>();

  /** Compares the views of all readers. */
  async look(worker: TestWorker, database: Database, pick: number): Promise<void> {
    const moment = { state: this.state, now: this.now };
    const tokens = [...this.rooms.tokens];
    await compareViews({
      worker,
      database,
      users: this.users,
      moment,
      tokens,
      pick,
      replicas: this.#replicas,
      learned: (user, more) => this.rooms.learned(user, more),
    });
  }

  /** Compares cached pages with their state after this step. */
  async glance(worker: TestWorker, step: number): Promise<void> {
    await compareKeptPages({ worker, users: this.users, state: this.state, tokens: [...this.rooms.tokens], step });
  }
}
