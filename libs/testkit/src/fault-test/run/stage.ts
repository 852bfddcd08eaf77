// The stage of a run: a stack of 2 gateways, 3 workers and 2 jobs services with a database of its own, and lines before all that can be cut.
import { delimiter, dirname } from 'node:path';
import type { BackendName } from '@taskgraph/launcher/backends/sources';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { startTestStack, type TestStack } from '../../stack/stack.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { type Disks, type LeftOut, mountDisks } from './disks.ts';
import { type GoProgram, goProgram } from './go-program.ts';
import type { MachineKind } from './machine-faults.ts';
import { mountPowerDisk, type PowerDisk } from './power-disk.ts';
import type { Backend, Gateway, Member, Members } from './schedule.ts';
import { BACKENDS, backendOf, GATEWAYS, JOBS, WORKERS } from './schedule.ts';
import { type Line, startToxiproxy } from './toxiproxy.ts';

/** Packages of systems may be of 2.9, whose servers count the entries of a bucket apart once one was killed. */
const NATS_SERVER: GoProgram = {
  name: 'nats-server',
  version: '2.11.4',
  module: 'github.com/nats-io/nats-server/v2',
  file: 'nats-server',
};

export type LineName = Gateway | Backend | Member;
type Cuttable = Omit<Line, 'port'>;

export interface Stage {
  readonly stack: TestStack;
  /** That to a cluster consists of those to its servers. */
  readonly lines: ReadonlyMap<LineName, Cuttable>;
  /** Those of clusters. */
  readonly members: Members;
  /** The gateways' base URLs as clients reach them, over lines. */
  readonly urls: readonly [string, string];
  /** Where there are none, disks can't be filled. */
  readonly disks: Disks | null;
  /** Where there are none, the power can't be cut. */
  readonly powerDisk: PowerDisk | null;
  /** Where there are none, clocks can't jump. */
  readonly clocks: Clocks | null;
  /** The kinds of faults asked for that this machine can't bring about, and why. */
  readonly leftOut: ReadonlyMap<MachineKind, string>;
  clear(): Promise<void>;
}

/** `environment` is for the services, `kinds` are the faults of machines to come. `clustered`: on backends that are clusters. */
export async function setStage(
  note: (line: string) => void,
  environment: Readonly<Record<string, string>> = {},
  kinds: readonly MachineKind[] = [],
  clustered = false,
): Promise<Stage> {
  if (clustered) process.env.PATH = `${dirname(goProgram(NATS_SERVER, note))}${delimiter}${process.env.PATH}`;
  const proxy = await startToxiproxy(note);
  const lines = new Map<LineName, Cuttable>();
  const routed = new Map<BackendName, number>();
  const lineTo = async (name: LineName, port: number) => {
    const line = await proxy.line(name, port);
    lines.set(name, line);
    return line.port;
  };
  const clocks = kinds.includes('jump') ? createClocks() : null;
  const leftOut = new Map<MachineKind, string>();
  let disks: Disks | null = null;
  let powerDisk: PowerDisk | null = null;
  try {
    const port = await freePortRange(GATEWAYS.length);
    const stack = await startTestStack({
      ...{ workers: WORKERS.length, gateways: GATEWAYS.length, jobs: JOBS.length, port },
      // Shorter than clients wait: the service has to answer them, also while a backend is away.
      ...{ ownDatabase: true, environment: { COMMAND_DEADLINE_MS: '8000', ...both(environment, clocks?.environment) } },
      onFolder(dataDir) {
        const mounted = <D extends object>(kind: MachineKind, mount: (dataDir: string) => D | LeftOut): D | null => {
          const made = kinds.includes(kind) ? mount(dataDir) : null;
          if (made === null || !('leftOut' in made)) return made;
          leftOut.set(kind, made.leftOut);
          return null;
        };
        disks = mounted('full', mountDisks);
        powerDisk = mounted('power', mountPowerDisk);
        return () => {
          disks?.clear();
          powerDisk?.clear();
        };
      },
      clustered,
      route(name: BackendName, upstream) {
        const count = (routed.get(name) ?? 0) + 1;
        routed.set(name, count);
        return lineTo(clustered && name !== 'neo4j' ? `${name}-${count}` : name, upstream);
      },
    });
    const all = BACKENDS.map((name) => stack.backends.members[name].map((member) => member.name as Member))
      .filter((names) => names.length > 1)
      .flat();
    const linked = all.filter((name) => lines.has(name));
    for (const name of BACKENDS) {
      const own = linked.filter((member) => backendOf(member) === name).flatMap((member) => lines.get(member) ?? []);
      if (own.length > 0) lines.set(name, together(own));
    }
    const ports = await Promise.all(GATEWAYS.map((name, index) => lineTo(name, port + index)));
    const [first = '', second = ''] = ports.map((each) => `http://127.0.0.1:${each}`);
    const clear = async () => {
      await stack.stop();
      await proxy.stop();
      clocks?.clear();
    };
    return { stack, lines, members: { all, linked }, urls: [first, second], disks, powerDisk, clocks, leftOut, clear };
  } catch (error) {
    await proxy.stop();
    clocks?.clear();
    throw error;
  }
}

function together(lines: readonly Cuttable[]): Cuttable {
  const each = async (act: (line: Cuttable) => Promise<void>) => void (await Promise.all(lines.map(act)));
  return {
    cut: () => each((line) => line.cut()),
    disturb: (toxics) => each((line) => line.disturb(toxics)),
    mend: (anew) => each((line) => line.mend(anew)),
  };
}

/** Both may load a module before a service. */
function both(environment: Readonly<Record<string, string>>, other: Readonly<Record<string, string>> = {}) {
  const options = [environment.NODE_OPTIONS, other.NODE_OPTIONS].filter((each) => each !== undefined);
  return { ...environment, ...other, ...(options.length > 0 ? { NODE_OPTIONS: options.join(' ') } : {}) };
}
