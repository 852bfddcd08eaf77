// Watches the processes of a stack during the siege: their restarts and their memory.
import { readResidentBytes } from '@taskgraph/bench/measure/proc';
import type { SupervisedProcess } from '@taskgraph/launcher/processes/processes';

const LOOK_EVERY_MS = 1_000;

export interface WatchedProcess {
  readonly name: string;
  /** The maximum of resident memory since the last call, MiB. */
  takePeakMib(): number;
  restarts(): number;
}

export interface ProcessWatch {
  readonly processes: readonly WatchedProcess[];
  stop(): void;
}

/** Reads Linux's `/proc` once a second. */
export function watchProcesses(services: readonly SupervisedProcess[]): ProcessWatch {
  const peaks = new Map<string, number>();
  const look = () => {
    for (const service of services) {
      const mib = residentMib(service.pid());
      peaks.set(service.name, Math.max(mib, peaks.get(service.name) ?? 0));
    }
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    processes: services.map((service) => ({
      name: service.name,
      takePeakMib() {
        look();
        const peak = peaks.get(service.name) ?? 0;
        peaks.delete(service.name);
        return peak;
      },
      restarts: () => service.restarts(),
    })),
    stop: () => clearInterval(timer),
  };
}

function residentMib(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Math.round(readResidentBytes(pid) / 1_048_576);
  } catch {
    // The process has just ended; the count of restarts reports it.
    return 0;
  }
}
