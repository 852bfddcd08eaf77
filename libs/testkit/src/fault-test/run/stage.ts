// The stage of a run: a stack of 2 gateways, 3 workers and 2 jobs services with a database of its own, and lines before all that can be cut.
import type { BackendName } from '@taskgraph/launcher/backends/sources';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { startTestStack, type TestStack } from '../../stack/stack.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { type Disks, mountDisks } from './disks.ts';
import type { MachineKind } from './machine-faults.ts';
import type { Backend, Gateway } from './schedule.ts';
import { GATEWAYS, JOBS, WORKERS } from './schedule.ts';
import { type Line, startToxiproxy } from './toxiproxy.ts';

export interface Stage {
  readonly stack: TestStack;
  readonly lines: ReadonlyMap<Gateway | Backend, Line>;
  /** The gateways' base URLs as clients reach them, over lines. */
  readonly urls: readonly [string, string];
  /** Where there are none, disks can't be filled. */
  readonly disks: Disks | null;
  /** Where there are none, clocks can't jump. */
  readonly clocks: Clocks | null;
  clear(): Promise<void>;
}

/** `environment` is for the services, `kinds` are the faults of machines to come. */
export async function setStage(
  note: (line: string) => void,
  environment: Readonly<Record<string, string>> = {},
  kinds: readonly MachineKind[] = [],
): Promise<Stage> {
  const proxy = await startToxiproxy(note);
  const lines = new Map<Gateway | Backend, Line>();
  const lineTo = async (name: Gateway | Backend, port: number) => {
    const line = await proxy.line(name, port);
    lines.set(name, line);
    return line.port;
  };
  const clocks = kinds.includes('jump') ? createClocks() : null;
  let disks: Disks | null = null;
  try {
    const port = await freePortRange(GATEWAYS.length);
    const stack = await startTestStack({
      ...{ workers: WORKERS.length, gateways: GATEWAYS.length, jobs: JOBS.length, port },
      // Shorter than clients wait: the service has to answer them, also while a backend is away.
      ...{ ownDatabase: true, environment: { COMMAND_DEADLINE_MS: '8000', ...both(environment, clocks?.environment) } },
      onFolder(dataDir) {
        disks = kinds.includes('full') ? mountDisks(dataDir) : null;
        return () => disks?.clear();
      },
      route: (name: BackendName, upstream) => lineTo(name, upstream),
    });
    const ports = await Promise.all(GATEWAYS.map((name, index) => lineTo(name, port + index)));
    const [first = '', second = ''] = ports.map((each) => `http://127.0.0.1:${each}`);
    const clear = async () => {
      await stack.stop();
      await proxy.stop();
      clocks?.clear();
    };
    return { stack, lines, urls: [first, second], disks, clocks, clear };
  } catch (error) {
    await proxy.stop();
    clocks?.clear();
    throw error;
  }
}

/** Both may load a module before a service. */
function both(environment: Readonly<Record<string, string>>, other: Readonly<Record<string, string>> = {}) {
  const options = [environment.NODE_OPTIONS, other.NODE_OPTIONS].filter((each) => each !== undefined);
  return { ...environment, ...other, ...(options.length > 0 ? { NODE_OPTIONS: options.join(' ') } : {}) };
}
