// Chooses the Node of workers, jobs services and administration programs, which are faster on Node 24
// than on Node 20. Gateways always run on the launcher's, for which the native uWebSockets.js may
// exist (docs/design/dependencies.md).
import { existsSync } from 'node:fs';
import type { NodeSetting } from '../configuration.ts';
import { LauncherError } from '../errors.ts';
import {
  checkedNode,
  downloadNode,
  type NodeDownloadOptions,
  type NodeProgram,
  programOf,
  versionOf,
} from './node-download.ts';
import { NODE_PACKAGES, type NodePackage } from './node-package.ts';

/** The release that `auto` selects. */
const WANTED_MAJOR = 24;
const OLDEST_SUPPORTED = [20, 19] as const;

/** The Node that runs the launcher. */
const OWN: NodeProgram = { path: process.execPath, version: process.versions.node };

/** The facts of a machine that decide. */
export interface Machine {
  /** The version of the launcher's Node. */
  readonly version: string;
  /** Such as `linux-x64`. */
  readonly platform: string;
  hasFile(path: string): boolean;
}

const THIS_MACHINE: Machine = {
  version: OWN.version,
  platform: `${process.platform}-${process.arch}`,
  hasFile: existsSync,
};

export type NodePlan =
  /** The launcher's Node; `reason` says why it is not a faster one. */
  | { readonly kind: 'own'; readonly reason?: string }
  | { readonly kind: 'program'; readonly path: string }
  | { readonly kind: 'package'; readonly wanted: NodePackage };

export interface NodeOptions extends NodeDownloadOptions {
  readonly setting: NodeSetting;
  /** Only the launcher's own tests replace it. */
  readonly machine?: Machine;
  /** The same. */
  readonly packages?: Readonly<Record<string, NodePackage>>;
}

/** The choice without its effects. */
export function planNode(
  setting: NodeSetting,
  machine: Machine = THIS_MACHINE,
  packages: Readonly<Record<string, NodePackage>> = NODE_PACKAGES,
): NodePlan {
  if (setting.kind === 'program') return setting;
  if (setting.kind === 'own' || majorOf(machine.version) >= WANTED_MAJOR) return { kind: 'own' };
  const wanted = packages[machine.platform];
  if (wanted === undefined) return { kind: 'own', reason: `npm has no Node ${WANTED_MAJOR} for ${machine.platform}` };
  if (wanted.loader !== undefined && !machine.hasFile(wanted.loader))
    return { kind: 'own', reason: `${wanted.name} needs ${wanted.loader}` };
  return { kind: 'package', wanted };
}

/**
 * The program, which is downloaded if necessary. If there is no Node 24, it is the launcher's, and a
 * line says why. Throws a LauncherError only for a program that the setting names.
 */
export async function chooseNode(options: NodeOptions): Promise<NodeProgram> {
  const { setting, machine = THIS_MACHINE, packages } = options;
  const plan = planNode(setting, machine, packages);
  switch (plan.kind) {
    case 'program':
      return namedProgram(plan.path, options.signal);
    case 'package':
      return fetchOrOwn(plan.wanted, options);
    case 'own':
      if (plan.reason !== undefined) reportFallback(plan.reason, options);
      return OWN;
  }
}

/**
 * The same program as far as it is there and runs, for callers that must not wait for a download. Throws
 * like `chooseNode`.
 */
export async function presentNode(
  setting: NodeSetting,
  cacheDir: string,
  machine: Machine = THIS_MACHINE,
  packages: Readonly<Record<string, NodePackage>> = NODE_PACKAGES,
): Promise<NodeProgram> {
  const plan = planNode(setting, machine, packages);
  if (plan.kind === 'program') return namedProgram(plan.path, undefined);
  if (plan.kind === 'own') return OWN;
  // The next start of a stack says why it does not run.
  return checkedNode(plan.wanted, { cacheDir, signal: undefined }).catch(() => OWN);
}

async function namedProgram(path: string, signal: AbortSignal | undefined): Promise<NodeProgram> {
  const version = await versionOf(path, signal);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_SUPPORTED[0] || (major === OLDEST_SUPPORTED[0] && minor >= OLDEST_SUPPORTED[1]))
    return { path, version };
  throw new LauncherError(
    `the Node ${version} of TASKGRAPH_NODE is too old`,
    `Name one of ${OLDEST_SUPPORTED.join('.')} or newer, or unset TASKGRAPH_NODE.`,
  );
}

/** Failed downloads of this process, which are not repeated: a test starts many stacks. */
const failures = new Map<string, unknown>();

async function fetchOrOwn(wanted: NodePackage, options: NodeOptions): Promise<NodeProgram> {
  const key = programOf(options.cacheDir, wanted);
  try {
    if (failures.has(key)) throw failures.get(key);
    return await downloadNode(wanted, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    failures.set(key, error);
    reportFallback(error instanceof Error ? error.message : String(error), options);
    return OWN;
  }
}

function reportFallback(reason: string, { report }: NodeOptions): void {
  report.line(`workers run on Node ${OWN.version}: ${reason}. Node ${WANTED_MAJOR} is faster (docs/running.md)`);
}

function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}
