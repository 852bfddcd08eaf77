// Chooses the Node of gateways. Their HTTP server is native code, which the registry has for a few
// releases of Node; in its JavaScript, gateways cannot run (docs/design/dependencies.md).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../backends/backends.ts';
import { LauncherError } from '../errors.ts';
import { downloadNode, type NodeDownloadOptions, type NodeProgram } from './node-download.ts';
import { GATEWAY_NODE_PACKAGES, type NodePackage } from './node-package.ts';

/** The facts of a machine that decide. */
export interface GatewayMachine {
  /** The launcher's Node. */
  readonly own: NodeProgram;
  /** Such as `linux-x64`. */
  readonly platform: string;
  /** Whether there is a native server for the launcher's Node. */
  readonly hasNativeServer: boolean;
  hasFile(path: string): boolean;
}

/**
 * The launcher's Node if it has a native server, else one that has. Throws a LauncherError if there is
 * none for the machine, or npm cannot fetch it.
 */
export async function chooseGatewayNode(
  options: NodeDownloadOptions,
  machine: GatewayMachine = thisMachine(),
): Promise<NodeProgram> {
  const plan = planGatewayNode(machine);
  return plan === 'own' ? machine.own : downloadNode(plan, options);
}

/** The choice without its effects. */
export function planGatewayNode(machine: GatewayMachine): 'own' | NodePackage {
  const { own, platform, hasNativeServer } = machine;
  if (hasNativeServer) return 'own';
  const wanted = GATEWAY_NODE_PACKAGES[platform];
  if (wanted !== undefined && (wanted.loader === undefined || machine.hasFile(wanted.loader))) return wanted;
  throw new LauncherError(
    `gateways cannot run on Node ${own.version}`,
    'There is no native uWebSockets.js for it. Install Node 20 and start with it.',
  );
}

function thisMachine(): GatewayMachine {
  const gateway = createRequire(join(REPOSITORY, 'services', 'gateway', 'package.json'));
  const server = dirname(gateway.resolve('uWebSockets.js/package.json'));
  const { platform, arch, versions } = process;
  return {
    own: { path: process.execPath, version: versions.node },
    platform: `${platform}-${arch}`,
    hasNativeServer: existsSync(join(server, 'binaries', `uws_${platform}_${arch}_${versions.modules}.node`)),
    hasFile: existsSync,
  };
}
