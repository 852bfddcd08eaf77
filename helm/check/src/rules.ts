// Prometheus's own tool reads every expression that the chart renders, and plays series to the alerts: each fires when it should.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ALERT_CASES } from './alert-cases.ts';
import { type Manifest, template } from './helm.ts';
import { over } from './matrix.ts';
import { run } from './running.ts';

/** Values that render every expression. */
const ALL = over({
  monitoring: { prometheusRule: { enabled: true }, dashboard: { enabled: true } },
  worker: { keda: { enabled: true, prometheusAddress: 'http://prometheus:9090' } },
});

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** Throws with what promtool says, and where an alert has no case in which it fires or none in which it does not. Gives the counts. */
export async function checkRules(helm: string, promtool: string, kubeVersion: string): Promise<string> {
  const { manifests } = await template(helm, ALL, kubeVersion);
  const alerts = manifests.flatMap(({ kind, spec }) => (kind === 'PrometheusRule' ? (spec.groups as Group[]) : []));
  const asked = manifests.flatMap(expressionsOf);
  if (alerts.length === 0 || asked.length < 15) throw new Error(`only ${asked.length} expressions were found`);
  // promtool checks rules; what the dashboard and KEDA ask is recorded here for that alone.
  const recorded = asked.map((expr, at): Rule => ({ record: `taskgraph:asked:${at}`, expr }));
  const groups = [...alerts, { name: 'asked', rules: recorded }];
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-rules-'));
  const tell = async (given: string[], content: object) => {
    writeFileSync(join(folder, 'file.yaml'), stringify(content));
    return run(promtool, [...given, join(folder, 'file.yaml')]);
  };
  try {
    const read = await tell(['check', 'rules'], { groups });
    if (read.code !== 0) throw new Error(`promtool finds in the rules:\n${read.stdout}${read.stderr}`);
    // A tool that takes everything would prove nothing.
    const wrong = { groups: [{ name: 'wrong', rules: [{ record: 'wrong', expr: 'sum(' }] }] };
    if ((await tell(['check', 'rules'], wrong)).code === 0) throw new Error('promtool took what is no expression');
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: alerts }));
    const played = await tell(['test', 'rules'], { rule_files: ['rules.yaml'], tests: testsOf(names(alerts)) });
    if (played.code !== 0) throw new Error(`alerts don't fire as they should:\n${played.stdout}${played.stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return `${names(alerts).length} alerts in ${ALERT_CASES.length} cases fire or don't, ${asked.length} other expressions are read`;
}

function names(groups: readonly Group[]): string[] {
  return [...new Set(groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? [])))];
}

/** The cases as promtool takes them. */
function testsOf(alerts: readonly string[]): object[] {
  for (const alert of alerts) {
    const fires = ALERT_CASES.filter((each) => each.alert === alert).map((each) => each.fires.length > 0);
    if (!fires.includes(true) || !fires.includes(false)) throw new Error(`alert-cases.ts does not prove ${alert}`);
  }
  return ALERT_CASES.map(({ alert, series, after, fires }) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      {
        eval_time: after,
        alertname: alert,
        exp_alerts: fires.map(({ labels, summary }) => ({ exp_labels: labels, exp_annotations: { summary } })),
      },
    ],
  }));
}

function expressionsOf({ kind, spec, data }: Manifest): string[] {
  if (kind === 'ScaledObject') return [spec.triggers[0].metadata.query];
  if (kind !== 'ConfigMap') return [];
  const { panels } = JSON.parse(Object.values(data)[0] as string) as { panels: { targets: Rule[] }[] };
  // These two are Grafana's, which puts a time and a name in their place.
  const filled = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', 'a');
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => filled(expr)));
}
