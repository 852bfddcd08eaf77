// The package of the Helm chart, in the form that `helm push` sends to an OCI registry.
import { join } from 'node:path';
import { must } from '@taskgraph/helm-check/program';
import { goTool } from '@taskgraph/helm-check/tools';
import type { Build } from './build.ts';

/** Helm 4 gives the packaged files their own times; Helm 3 the time of packing. */
export async function packageChart({ version, sources, target }: Build): Promise<void> {
  const versions = ['--version', version.text, '--app-version', version.text];
  await must(await goTool('helm4'), [
    'package',
    join(sources, 'helm', 'taskgraph'),
    ...versions,
    '--destination',
    target,
  ]);
}
