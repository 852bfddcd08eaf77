// The package of the chart: both Helm versions lint and render it.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chartPath } from '@taskgraph/helm-check/repository';
import { goTool } from '@taskgraph/helm-check/tools';
import { must } from '../check-api/process.ts';
import { type ArtifactTest, artifactPath, type BuiltRelease, expectPart } from './artifact-test.ts';
import { startRegistry } from './oci-registry.ts';

export const chartPackage: ArtifactTest = {
  name: 'Helm chart',
  async run(folder, release) {
    const archive = artifactPath(release, `taskgraph-${release.version}.tgz`);
    // Helm's own idea of the cluster is older than the chart permits.
    const kube = ['--kube-version', '1.30.0'];
    const values = ['--values', chartPath('ci', 'minimal-values.yaml')];
    for (const name of ['helm3', 'helm4'] as const) {
      const helm = await goTool(name);
      const chart = must(helm, ['show', 'chart', archive], { cwd: folder });
      for (const line of [`version: ${release.version}`, `appVersion: ${release.version}`])
        expectPart('Chart.yaml', chart, `\n${line}\n`);
      must(helm, ['lint', '--strict', archive, ...kube, ...values], { cwd: folder });
      const rendered = must(helm, ['template', 'release', archive, ...kube, ...values], { cwd: folder });
      expectPart('the rendered chart', rendered, `image: taskgraph:${release.version}\n`);
    }
    await pushAndPull(folder, archive, release);
    return 'Helm 3 and Helm 4 lint and render it, with the image of the version, and pull it from a registry';
  },
};

/** A registry stores the package under its version, and returns the same bytes. */
async function pushAndPull(folder: string, archive: string, { version }: BuiltRelease): Promise<void> {
  const registry = await startRegistry();
  try {
    const charts = `oci://${registry.host}/charts`;
    must(await goTool('helm3'), ['push', archive, charts, '--plain-http'], { cwd: folder });
    for (const name of ['helm3', 'helm4'] as const) {
      const target = join(folder, name);
      const given = ['pull', `${charts}/taskgraph`, '--version', version, '--plain-http', '--destination', target];
      mkdirSync(target);
      must(await goTool(name), given, { cwd: folder });
      if (!readFileSync(join(target, basename(archive))).equals(readFileSync(archive)))
        throw new Error('The pulled chart has other bytes.');
    }
  } finally {
    await registry.stop();
  }
}
