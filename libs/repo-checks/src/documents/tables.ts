// Writes the tables of settings, rate limits and metrics into documents, each between two marks,
// from their declarations.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LIMITS, type Limit, variableOf } from '@taskgraph/commands/rate-limits';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { countBackends, createHealth } from '@taskgraph/runtime/service/health';
import { createMetrics, type MetricDescription, type Metrics } from '@taskgraph/runtime/telemetry/metrics';
import { z } from 'zod';
import { metricRows } from './metric-table.ts';

/** Declares a setting in the form of a service's configuration.ts. */
interface Setting {
  readonly schema: z.ZodType;
  readonly default?: unknown;
  readonly description: string;
  readonly see?: string;
}

/** Tables by the name in their marks. */
type Tables = Readonly<Record<string, readonly string[]>>;

/** The document with these tables between its marks. Throws if it has marks of another table. */
export function withTables(text: string, tables: Tables): string {
  return text.replaceAll(
    /(<!-- BEGIN (.+) -->\n)[\s\S]*?(<!-- END \2 -->\n)/g,
    (_, begin: string, name: string, end: string) => {
      const table = tables[name];
      if (table === undefined) throw new Error(`no declarations make a table of ${name}`);
      return `${begin}\n${table.join('\n')}\n\n${end}`;
    },
  );
}

/** All tables. */
export async function declaredTables(): Promise<Tables> {
  const [gateway, worker, jobs, hooks, admin] = await Promise.all(
    ['gateway', 'worker', 'jobs', 'hooks', 'admin'].map(settingsOf),
  );
  return {
    'gateway settings': settingRows(gateway),
    'worker settings': settingRows(worker),
    'jobs settings': settingRows(jobs),
    'hooks settings': settingRows(hooks),
    'admin settings': settingRows(admin),
    'limit settings': limitSettingRows(),
    limits: limitRows(),
    'shared metrics': metricTable(sharedMetrics()),
    'gateway metrics': metricTable(await metricsOf('gateway')),
    'worker metrics': metricTable(await metricsOf('worker')),
    'jobs metrics': metricTable((await partOf<{ metrics: Metrics }>('jobs', 'metrics.ts')).metrics.describe()),
    'hooks metrics': metricTable(
      (await partOf<SenderPart>('hooks', 'metrics.ts')).createSenderMetrics().metrics.describe(),
    ),
  };
}

interface SenderPart {
  createSenderMetrics(): { readonly metrics: Metrics };
}

/** The part of a service that declares something; no package imports a service. */
async function partOf<T>(service: string, path: string): Promise<T> {
  return (await import(pathToFileURL(join(REPOSITORY, 'services', service, 'src', path)).href)) as T;
}

async function settingsOf(service: string): Promise<Readonly<Record<string, Setting>>> {
  const { configuration } = await partOf<{ configuration: Record<string, Setting> }>(service, 'configuration.ts');
  return configuration;
}

async function metricsOf(service: string): Promise<readonly MetricDescription[]> {
  interface Part {
    describedMetrics(): readonly MetricDescription[];
  }
  return (await partOf<Part>(service, 'test/support/described-metrics.ts')).describedMetrics();
}

function sharedMetrics(): readonly MetricDescription[] {
  const metrics = createMetrics();
  countBackends(metrics, createHealth({}));
  return metrics.describe();
}

/** Limits have their own table. */
function settingRows(settings: Readonly<Record<string, Setting>> = {}): string[] {
  const rows = Object.entries(settings)
    .filter(([name]) => !name.startsWith('LIMIT_'))
    .map(([name, setting]) => row(`\`${name}\``, meaningOf(setting), valuesOf(setting.schema), defaultOf(setting)));
  return [row('Variable', 'Meaning', 'Values', 'Default'), '|---|---|---|---|', ...rows];
}

function limitSettingRows(): string[] {
  const limits: readonly Limit[] = LIMITS;
  const rows = limits.map(({ name, counted, points, seconds }) =>
    row(`\`${variableOf(name)}\``, counted ?? `\`${name}\` over sockets`, `\`${points}/${seconds}\``),
  );
  return [row('Variable', 'Calls', 'Default'), '|---|---|---|', ...rows];
}

function limitRows(): string[] {
  const rows = LIMITS.map(({ name, points, seconds, subjects }) =>
    row(`\`${name}\``, points, seconds, subjects.join(', '), `\`${variableOf(name)}\``),
  );
  return [row('Limit', 'Calls', 'Seconds', 'Counted by', 'Variable'), '|---|---|---|---|---|', ...rows];
}

function metricTable(metrics: readonly MetricDescription[]): string[] {
  return [row('Metric', 'Type', 'Labels', 'Meaning'), '|---|---|---|---|', ...metricRows(metrics)];
}

function row(...cells: readonly (string | number)[]): string {
  return `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`;
}

function meaningOf({ description, see }: Setting): string {
  return see === undefined ? description : `${description} See [${see.replace(/#.*/, '')}](${see}).`;
}

/** The values of a variable, if its schema bounds or lists them. */
function valuesOf(schema: z.ZodType): string {
  const { type, minimum, maximum, enum: listed } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  if (type === 'boolean') return '`on`, `off`';
  if (listed !== undefined) return listed.map((value) => `\`${value}\``).join(', ');
  const [least, most] = [minimum ?? 0, maximum ?? Number.MAX_SAFE_INTEGER];
  if (most < Number.MAX_SAFE_INTEGER) return `${numberText(least)} to ${numberText(most)}`;
  return least > 1 ? `at least ${numberText(least)}` : '';
}

function numberText(value: number): string {
  return value.toLocaleString('en-US');
}

function defaultOf({ schema, default: value }: Setting): string {
  if (value === undefined) return schema.safeParse(undefined).success ? '' : 'required';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  return value === '' || (Array.isArray(value) && value.length === 0) ? '' : `\`${value}\``;
}
