// The wheel of the Python client, built from the copy of the sources.
import { join } from 'node:path';
import { must } from '@taskgraph/helm-check/program';
import { clientTools } from '@taskgraph/repo-checks/test-clients/python-tools';
import type { Build } from './build.ts';

export async function buildWheel({ tree, sources, target }: Build): Promise<void> {
  const project = join(sources, 'libs', 'client-python');
  await must(join(clientTools(), 'python'), ['-m', 'build', '--wheel', '--no-isolation', '--outdir', target, project], {
    env: { SOURCE_DATE_EPOCH: String(tree.epoch) },
  });
}
