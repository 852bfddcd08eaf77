// The proof without a cluster: lint, rendering, schemas, kube-score, what switches render and what is refused.
import { join } from 'node:path';
import { staleFiles } from './generate.ts';
import { lint, template } from './helm.ts';
import { checkImages } from './images.ts';
import { type MatrixFile, matrixFiles } from './matrix.ts';
import { checkRefusal, REFUSALS } from './refusals.ts';
import { RENDER_CASES } from './render-cases.ts';
import { checkRender } from './renders.ts';
import { repositoryPath } from './repository.ts';
import { checkRules } from './rules.ts';
import { checkSchemas } from './schemas.ts';
import { checkScore } from './score.ts';
import { buildProgram, goTool, prometheusPrograms, pythonPrograms, validator } from './tools.ts';

/** Runs all parts and prints their counts. Throws at the first that fails. */
export async function prove(): Promise<void> {
  const [helm3, helm4, kubeScore] = [await goTool('helm3'), await goTool('helm4'), await goTool('kube-score')];
  const schemas = await validator();
  const newest = schemas.versions.at(-1) as string;
  const helms = { 'Helm 3': helm3, 'Helm 4': helm4 };
  const files = matrixFiles();

  const stale = await staleFiles();
  if (stale.length > 0)
    throw new Error(`${stale.join(', ')} are not what values.yaml gives: run npm run helm:generate`);
  console.log('generated files: up to date');
  const directory = repositoryPath('helm', 'check', 'compose');
  const compose = await buildProgram(directory, 'compose-v2.16.2/compose', ['-ldflags', '-s -w', '.']);
  console.log(`images: ${await checkImages(compose, await pythonPrograms())}`);

  const objects = await checkMatrix(helms, files, schemas.versions);
  console.log(`lint --strict and template: ${files.length} values files x 2 Helm x 2 Kubernetes, ${objects} objects`);
  for (const file of files) {
    const { valid, custom } = await checkSchemas(helm3, file, schemas);
    const { checks, accepted } = await checkScore(helm3, kubeScore, file, newest);
    const without = custom.length === 0 ? '' : `, no schema for ${custom.join(', ')}`;
    console.log(`- ${file.name}: ${valid} objects valid for ${schemas.versions.join(' and ')}${without};`);
    console.log(`  kube-score: ${checks} checks, nothing critical but ${accepted} accepted with their reason`);
  }
  const prometheus = await prometheusPrograms();
  if (prometheus === null) console.log('SKIPPED: alerts and dashboard, as there is neither promtool nor apt-get');
  else console.log(`promtool: ${await checkRules(helm3, join(prometheus, 'promtool'), newest)}`);
  for (const helm of Object.values(helms)) {
    for (const each of RENDER_CASES) await checkRender(helm, each, newest);
    for (const refusal of REFUSALS) await checkRefusal(helm, refusal, newest);
  }
  console.log(`switches: ${RENDER_CASES.length} cases x 2 Helm render what they should`);
  console.log(`wrong values: ${REFUSALS.length} cases x 2 Helm are refused by name`);
}

/** Lints and renders everything; both Helm versions must give the same objects. Gives the number of objects. */
async function checkMatrix(
  helms: Readonly<Record<string, string>>,
  files: readonly MatrixFile[],
  versions: readonly string[],
): Promise<number> {
  let objects = 0;
  for (const file of files) {
    for (const version of versions) {
      const texts = new Set<string>();
      for (const [name, helm] of Object.entries(helms)) {
        const linted = await lint(helm, file.path, version);
        if (linted.code !== 0) throw new Error(`${name} lint --strict ${file.name}:\n${linted.stdout}${linted.stderr}`);
        const { manifests } = await template(helm, file.path, version);
        texts.add(JSON.stringify(manifests.map((manifest) => JSON.stringify(manifest)).sort()));
        objects += manifests.length;
      }
      if (texts.size > 1) throw new Error(`Helm 3 and Helm 4 render ${file.name} differently for ${version}`);
    }
  }
  return objects;
}
