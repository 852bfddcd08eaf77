// The reference model beside a worker: besides answers and pushes it compares what all readers then see.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { Comparison } from '@taskgraph/reference-model/comparison/comparison';
import type { TestWorker } from '../support/harness.ts';
import { compareKeptPages } from './cached-pages.ts';
import type { Replica } from './checked-reads.ts';
import { compareViews } from './views.ts';

export class WorkerComparison extends Comparison {
  readonly #replicas = new Map<string, Replica>();

  /** Compares all that readers can ask for. */
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

  /** Compares pages that a worker gives again with what they are after this step. */
  async glance(worker: TestWorker, step: number): Promise<void> {
    await compareKeptPages({ worker, users: this.users, state: this.state, tokens: [...this.rooms.tokens], step });
  }
}
