// `npm run helm:generate`: writes what follows from values.yaml and the services' configuration; `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { readmeOf } from './readme.ts';
import { chartPath } from './repository.ts';
import { schemaOf } from './schema.ts';
import { readVariables, SERVICES, type ServiceName, type ServiceVariables } from './variables.ts';

type All = Readonly<Record<ServiceName, ServiceVariables>>;

/** Every generated file of the chart with what it should hold, by its path in the chart. */
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
    'README.md': readmeOf(readFileSync(chartPath('README.md.tmpl'), 'utf8'), values, variables),
  };
}

/** Puts each service's variables between its markers. */
function withBlocks(text: string, variables: All): string {
  return SERVICES.reduce((result, name) => {
    const markers = new RegExp(`( *# BEGIN ${name} configuration\n)[^]*?( *# END ${name} configuration\n)`);
    if (!markers.test(result)) throw new Error(`values.yaml has no markers for the configuration of ${name}`);
    return result.replace(markers, (_, begin: string, end: string) => `${begin}${block(variables[name])}${end}`);
  }, text);
}

function block({ config }: ServiceVariables): string {
  if (config.length === 0) {
    return '  # -- Variables of the service; it has none besides those that the chart sets.\n  # @schema {"additionalProperties": false}\n  config: {}\n';
  }
  const lines = config.flatMap(({ name, description, default: value, schema }) => [
    `    # -- ${description.replaceAll('\n', ' ')}`,
    `    # @schema ${JSON.stringify(schema)}`,
    // Helm reads YAML 1.1, in which an unquoted yes or on is no text.
    `    ${name}: ${stringify(value, { lineWidth: 0, version: '1.1' }).trimEnd()}`,
  ]);
  return `  config:\n${lines.join('\n')}\n`;
}

/** Files whose content is not what it should be. */
export async function staleFiles(): Promise<string[]> {
  const files = Object.entries(await generatedFiles());
  return files.filter(([path, text]) => readFileSync(chartPath(path), 'utf8') !== text).map(([path]) => path);
}

export async function writeGenerated(): Promise<void> {
  for (const [path, text] of Object.entries(await generatedFiles())) writeFileSync(chartPath(path), text);
}
