// `npm run helm:generate`: writes the chart's files that follow from values.yaml and the services'
// configuration. helm-docs writes the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { run } from './program.ts';
import { chartPath } from './repository.ts';
import { schemaOf } from './schema.ts';
import { goTool } from './tools.ts';
import { readVariables, SERVICES, type ServiceName, type ServiceVariables } from './variables.ts';

type VariablesByService = Readonly<Record<ServiceName, ServiceVariables>>;

/** The expected content of every generated file except the README, by its path in the chart. */
async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const variables = await readVariables();
  const values = withBlocks(readFileSync(chartPath('values.yaml'), 'utf8'), variables);
  const known = Object.fromEntries(
    SERVICES.map((name) => [name, { chart: variables[name].chart, secrets: variables[name].secrets }]),
  );
  return {
    'values.yaml': values,
    'values.schema.json': `${JSON.stringify(schemaOf(values), null, 2)}\n`,
    'files/variables.json': `${JSON.stringify(known, null, 2)}\n`,
  };
}

/** Inserts each service's variables between its markers. */
function withBlocks(text: string, variables: VariablesByService): string {
  return SERVICES.reduce((result, name) => {
    const markers = new RegExp(`( *# BEGIN ${name} configuration\n)[^]*?( *# END ${name} configuration\n)`);
    if (!markers.test(result)) throw new Error(`values.yaml has no markers for the configuration of ${name}`);
    return result.replace(markers, (_, begin: string, end: string) => `${begin}${block(variables[name])}${end}`);
  }, text);
}

function block({ config }: ServiceVariables): string {
  if (config.length === 0) {
    return '  # @schema {"additionalProperties": false}\n  # -- Variables of the service; it has none besides those that the chart sets.\n  config: {}\n';
  }
  const lines = config.flatMap(({ name, description, default: value, schema }) => [
    `    # @schema ${JSON.stringify(schema)}`,
    `    # -- ${description.replaceAll('\n', ' ')}`,
    // Helm reads YAML 1.1, in which an unquoted yes or on is a boolean.
    `    ${name}: ${stringify(value, { lineWidth: 0, version: '1.1' }).trimEnd()}`,
  ]);
  return `  config:\n${lines.join('\n')}\n`;
}

/** Generated files other than the README with outdated content. */
export async function staleFiles(): Promise<string[]> {
  const files = Object.entries(await generatedFiles());
  return files.filter(([path, text]) => readFileSync(chartPath(path), 'utf8') !== text).map(([path]) => path);
}

/** The README if it differs from the output of helm-docs. Throws as `readme` does. */
export async function staleReadme(): Promise<string[]> {
  return (await readme()) === readFileSync(chartPath('README.md'), 'utf8') ? [] : ['README.md'];
}

/**
 * The README as helm-docs generates it from README.md.gotmpl and values.yaml. Throws if a value is
 * not documented.
 */
async function readme(): Promise<string> {
  const inOrder = ['--chart-search-root', '.', '--sort-values-order', 'file', '--log-level', 'warning', '--dry-run'];
  const { stdout, stderr } = await run(await goTool('helm-docs'), inOrder, { cwd: chartPath() });
  // helm-docs exits with 0 even after errors, which only its log shows.
  if (stderr !== '') throw new Error(`helm-docs fails:\n${stderr}`);
  return stdout;
}

/** Throws at the README if `missing` lists programs without which helm-docs cannot be built. */
export async function writeGenerated(missing: string | null): Promise<void> {
  for (const [path, text] of Object.entries(await generatedFiles())) writeFileSync(chartPath(path), text);
  if (missing !== null) throw new Error(`README.md was not generated, because this machine lacks ${missing}`);
  writeFileSync(chartPath('README.md'), await readme());
}
