// The package of the chart: both Helm versions lint and render it.
import { chartPath } from '@taskgraph/helm-check/repository';
import { goTool } from '@taskgraph/helm-check/tools';
import { must } from '../check-api/process.ts';
import { type ArtifactTest, artifactPath, expectPart } from './artifact-test.ts';

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
      expectPart('the rendered chart', rendered, `image: "taskgraph:${release.version}"`);
    }
    return 'Helm 3 and Helm 4 lint and render it, with the image of the version';
  },
};
