// The two sides of write scenarios: clients of the whole stack, and the bare driver, each in its
// own process.
import { forkClient } from '../clients/process.ts';
import { OWNERS } from '../clients/workload.ts';
import type { WriterActs } from '../clients/writers.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createUsers } from '../stack/users.ts';

export interface Writers {
  readonly isOurs: boolean;
  readonly acts: WriterActs;
  readonly pid: number;
}

let opened = 0;

export async function openWriters({ access, urls }: BenchStack) {
  // Scenarios may share a stack, so their e-mails must differ.
  const owners = await createUsers(access, `writer-${opened++}`, OWNERS);
  const tokens = owners.map(({ token }) => token);
  const ours = await forkClient<WriterActs>('our-writers', { urls, tokens });
  const baseline = await forkClient<WriterActs>('baseline-writers', { access, owners: OWNERS });
  const sideOf = (isOurs: boolean, { pid, acts }: typeof ours): Writers => ({ isOurs, acts, pid });
  return {
    ours: sideOf(true, ours),
    baseline: sideOf(false, baseline),
    async stop() {
      await ours.stop();
      await baseline.stop();
    },
  };
}
