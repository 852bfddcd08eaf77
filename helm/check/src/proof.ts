// The proof without a cluster: generated files, images, workflows, lint, rendering, schemas, kube-score,
// alerts, and the suites of helm-unittest.
import { join } from 'node:path';
import { staleFiles, staleReadme } from './generate.ts';
import { comparable, lint, type MatrixFile, matrixFiles, readManifests, template } from './helm.ts';
import { checkImages } from './images.ts';
import { repositoryPath } from './repository.ts';
import { checkRules } from './rules.ts';
import { checkSchemas } from './schemas.ts';
import { checkScore } from './score.ts';
import { checkSuites } from './suites.ts';
import { buildProgram, goTool, prometheusPrograms, pythonPrograms, validator } from './tools.ts';
import { checkWorkflows } from './workflows.ts';

/**
 * Runs all parts and prints their counts. Throws at the first failure; returns true if no part was
 * skipped.
 */
export async function prove(): Promise<boolean> {
  const [helm3, helm4, kubeScore] = [await goTool('helm3'), await goTool('helm4'), await goTool('kube-score')];
  const schemas = await validator();
  const newest = schemas.versions.at(-1) as string;
  const helms = { 'Helm 3': helm3, 'Helm 4': helm4 };
  const files = matrixFiles();

  const stale = [...(await staleFiles()), ...(await staleReadme())];
  if (stale.length > 0) throw new Error(`${stale.join(', ')} do not match values.yaml: run npm run helm:generate`);
  console.log('generated files: up to date, and all values documented');
  const directory = repositoryPath('helm', 'check', 'compose');
  const compose = await buildProgram(() => directory, 'compose-v2.16.2/compose', ['-ldflags', '-s -w', '.']);
  console.log(`images: ${await checkImages(compose, await pythonPrograms())}`);
  console.log(`workflows: ${await checkWorkflows(await goTool('actionlint'))}`);

  const objects = await checkMatrix(helms, files, schemas.versions);
  console.log(`lint --strict and template: ${files.length} values files x 2 Helm x 2 Kubernetes, ${objects} objects`);
  for (const file of files) {
    console.log(`- ${file.name}: ${await checkSchemas(helm3, file.path, schemas)};`);
    console.log(`  kube-score: ${await checkScore(helm3, kubeScore, file, newest)}`);
  }
  const prometheus = await prometheusPrograms();
  if (prometheus === null)
    console.log('SKIPPED: alerts and dashboard, because neither promtool nor apt-get is installed');
  else console.log(`promtool: ${await checkRules(helm3, join(prometheus, 'promtool'), newest)}`);
  console.log(`helm-unittest: ${await checkSuites(await goTool('helm-unittest'), helms, newest)}`);
  return prometheus !== null;
}

/**
 * Lints and renders everything. Both Helm versions must render the same objects. Returns the number
 * of objects.
 */
async function checkMatrix(
  helms: Readonly<Record<string, string>>,
  files: readonly MatrixFile[],
  versions: readonly string[],
): Promise<number> {
  let objects = 0;
  for (const file of files) {
    for (const kubeVersion of versions) {
      const texts = await Promise.all(
        Object.values(helms).map(async (helm) => {
          await lint(helm, file.path, kubeVersion);
          return template(helm, { files: [file.path], kubeVersion });
        }),
      );
      if (new Set(texts.map(comparable)).size > 1)
        throw new Error(`${Object.keys(helms).join(' and ')} render ${file.name} differently for ${kubeVersion}`);
      objects += texts.reduce((sum, text) => sum + readManifests(text).length, 0);
    }
  }
  return objects;
}
