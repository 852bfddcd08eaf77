// The two sides of read scenarios: requests to the whole stack, and the bare driver, each in its
// own process.
import { forkClient } from '../clients/process.ts';
import type { Read, ReaderActs, StreamingReaderActs, WalkResult } from '../clients/readers.ts';
import { type Cpu, meterCpu, type Roles } from '../measure/cpu.ts';
import { mean } from '../measure/figures.ts';
import type { WarmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { BenchStack } from '../stack/bench-stack.ts';

/** A read with its processor time. */
export interface MeteredRead extends WalkResult {
  readonly cpu: Cpu;
}

export async function openReaders(stack: BenchStack) {
  const ours = await forkClient<ReaderActs>('our-readers', { url: stack.urls[0] });
  const baseline = await forkClient<StreamingReaderActs>('baseline-readers', { access: stack.access });
  const ourRoles = () => ({ ...stack.roles(), client: [ours.pid] });
  const theirRoles = () => ({ neo4j: stack.roles().neo4j ?? [], 'baseline client': [baseline.pid] });
  return {
    ours: metered(ours.acts.walk, ourRoles),
    baseline: metered(baseline.acts.walk, theirRoles),
    streaming: metered(baseline.acts.stream, theirRoles),
    connect: async (read: Read) => {
      await ours.acts.connect(read);
      await baseline.acts.connect(read);
    },
    async stop() {
      await ours.stop();
      await baseline.stop();
    },
  };
}

function metered(act: (read: Read) => Promise<WalkResult>, roles: () => Roles) {
  return async (read: Read): Promise<MeteredRead> => {
    const meter = meterCpu(roles());
    const walked = await act(read);
    return { ...walked, cpu: meter() };
  };
}

/**
 * Milliseconds per thousand nodes and links, because the last pages of nodes and of links are not
 * full.
 */
export function perThousand({ pages, entities }: WalkResult): number {
  return (pages.reduce((sum, ms) => sum + ms, 0) * 1_000) / entities;
}

/**
 * Two results: elapsed time and processor time. Neither includes the client that receives the
 * pages.
 */
export function compare(
  name: string,
  ours: readonly MeteredRead[],
  baseline: readonly MeteredRead[],
  warmUp: WarmUp,
): Result[] {
  const cpu = { ours: cpuPerThousand(ours), baseline: cpuPerThousand(baseline) };
  const [own, other] = [cpu.ours, cpu.baseline].map((roles) => mean([sum(roles)]));
  const shared = { cpu, warmUp };
  return [
    resultOf({
      scenario: `${name} time`,
      unit: 'ms a thousand entities',
      ...shared,
      ours: mean(ours.map(perThousand)),
      baseline: mean(baseline.map(perThousand)),
    }),
    resultOf({
      scenario: `${name} cpu`,
      unit: 'CPU ms a thousand entities',
      ...shared,
      ours: own as number,
      baseline: other as number,
    }),
  ];
}

function cpuPerThousand(samples: readonly MeteredRead[]): Cpu {
  const entities = samples.reduce((all, sample) => all + sample.entities, 0);
  const roles = new Set(samples.flatMap(({ cpu }) => Object.keys(cpu)));
  const ofRole = (role: string) => samples.reduce((all, { cpu }) => all + (cpu[role] ?? 0), 0);
  return Object.fromEntries([...roles].map((role) => [role, (ofRole(role) * 1_000) / entities]));
}

function sum({ client: _client, ...roles }: Cpu): number {
  return Object.values(roles).reduce((all, ms) => all + ms, 0);
}
