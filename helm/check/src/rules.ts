// Checks every rendered Prometheus expression with promtool, and runs tests/alerts.yaml against the
// alerts.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Manifest, readManifests, template } from './helm.ts';
import { run } from './program.ts';
import { chartPath, repositoryPath } from './repository.ts';

const RUNBOOK = 'https://git.example.com/docs/operations.md';

/** Values that render every expression. */
const ALL = {
  hooks: { enabled: true },
  exports: { enabled: true, volume: { persistentVolumeClaim: { claimName: 'exports' } } },
  monitoring: { prometheusRule: { enabled: true, runbookUrl: RUNBOOK }, dashboard: { enabled: true } },
  worker: { keda: { enabled: true, prometheusAddress: 'http://prometheus:9090' } },
};

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}

interface RuleTestFile {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

/**
 * Throws with promtool's findings, and if an alert lacks a case that fires or one that does not.
 * Returns the counts.
 */
export async function checkRules(helm: string, promtool: string, kubeVersion: string): Promise<string> {
  const files = [chartPath('ci', 'minimal-values.yaml')];
  const manifests = readManifests(await template(helm, { files, set: ALL, kubeVersion }));
  const alerts = manifests.flatMap(({ kind, spec }) => (kind === 'PrometheusRule' ? (spec.groups as Group[]) : []));
  const asked = manifests.flatMap(expressionsOf);
  const dashboards = manifests.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? [dashboardOf(data)] : []));
  checkAnnotations(
    alerts.flatMap(({ rules }) => rules),
    dashboards[0] as Dashboard,
  );
  if (alerts.length === 0 || asked.length < 15) throw new Error(`the chart renders only ${asked.length} expressions`);
  const cases = checkCases([...new Set(alerts.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? [])))]);
  // promtool checks only rules, so the queries of the dashboard and KEDA become recording rules
  // here.
  const recorded = asked.map((expr, at): Rule => ({ record: `taskgraph:asked:${at}`, expr }));
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-rules-'));
  const promtoolOn = (verb: string, file: string, groups: readonly Group[]) => {
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }));
    return run(promtool, [verb, 'rules', file], { cwd: folder });
  };
  try {
    const read = await promtoolOn('check', 'rules.yaml', [...alerts, { name: 'asked', rules: recorded }]);
    if (read.exitCode !== 0) throw new Error(`promtool finds in the rules:\n${read.stdout}${read.stderr}`);
    // Verifies that promtool rejects a wrong expression.
    const wrong = [{ name: 'wrong', rules: [{ record: 'wrong', expr: 'sum(' }] }];
    if ((await promtoolOn('check', 'rules.yaml', wrong)).exitCode === 0)
      throw new Error('promtool accepted an invalid expression');
    cpSync(chartPath('tests', 'alerts.yaml'), join(folder, 'alerts.yaml'));
    const played = await promtoolOn('test', 'alerts.yaml', alerts.map(textsOnly));
    if (played.exitCode !== 0) throw new Error(`alerts don't fire as they should:\n${played.stdout}${played.stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return `${cases}, ${asked.length} other expressions are read`;
}

/** The group without the annotations that `checkAnnotations` compares: the cases would repeat them. */
function textsOnly({ name, rules }: Group): Group {
  const reduced = rules.map(({ annotations: { summary = '', description = '' } = {}, ...rule }) => ({
    ...rule,
    annotations: { summary, description },
  }));
  return { name, rules: reduced };
}

function checkCases(alerts: readonly string[]): string {
  const { tests } = parse(readFileSync(chartPath('tests', 'alerts.yaml'), 'utf8')) as {
    tests: readonly RuleTestFile[];
  };
  const cases = tests.flatMap((test) => test.alert_rule_test);
  for (const alert of alerts) {
    const fires = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length > 0);
    if (!fires.includes(true) || !fires.includes(false)) throw new Error(`tests/alerts.yaml does not prove ${alert}`);
  }
  return `${alerts.length} alerts in ${cases.length} cases fire or don't`;
}

function expressionsOf({ kind, spec, data }: Manifest): string[] {
  if (kind === 'ScaledObject') return [spec.triggers[0].metadata.query];
  if (kind !== 'ConfigMap') return [];
  const { panels, annotations } = dashboardOf(data);
  // Grafana replaces these variables with a duration and names.
  const filled = ({ expr }: Rule) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', 'a').replaceAll('$release', 'b');
  return [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list].map(filled);
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly { readonly id: number; readonly title: string; readonly targets?: readonly Rule[] }[];
  readonly annotations: { readonly list: readonly Rule[] };
}

function dashboardOf(data: Readonly<Record<string, string>>): Dashboard {
  return JSON.parse(Object.values(data)[0] as string);
}

/**
 * Throws if an alert lacks a severity, a summary, a description, its section of the runbook, or its
 * graph on the dashboard.
 */
function checkAnnotations(alerts: readonly Rule[], { uid, panels }: Dashboard): void {
  const runbook = readFileSync(repositoryPath('docs', 'operations.md'), 'utf8');
  for (const { alert = '', labels = {}, annotations = {} } of alerts) {
    const wrong = [
      !/^(critical|warning)$/.test(labels.severity ?? '') && 'severity',
      !/\S{3}.*\.$/.test(annotations.summary ?? '') && 'summary',
      !/\S{3}.*\.$/.test(annotations.description ?? '') && 'description',
      annotations.runbook_url !== `${RUNBOOK}#${alert.toLowerCase()}` && 'runbook_url',
      !runbook.includes(`\n### ${alert}\n`) && 'section of docs/operations.md',
      annotations.__dashboardUid__ !== uid && 'dashboard',
      !panels.some(({ id, targets }) => targets !== undefined && `${id}` === annotations.__panelId__) && 'graph',
    ].filter((each) => each !== false);
    if (wrong.length > 0) throw new Error(`${alert} has no right ${wrong.join(' and ')}`);
  }
}
