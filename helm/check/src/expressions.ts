// Parses every PromQL expression that the chart renders: those of alerts, of the dashboard and of KEDA's trigger.
import { type Manifest, template } from './helm.ts';
import { over } from './matrix.ts';
import { run } from './running.ts';

/** Values that render every expression. */
const ALL = over({
  monitoring: { prometheusRule: { enabled: true }, dashboard: { enabled: true } },
  worker: { keda: { enabled: true, prometheusAddress: 'http://prometheus:9090' } },
});

/** Throws with what the parser says. Gives the number of expressions. */
export async function checkExpressions(helm: string, parser: string, kubeVersion: string): Promise<number> {
  const { manifests } = await template(helm, ALL, kubeVersion);
  const expressions = manifests.flatMap(expressionsOf).map((text) => text.replaceAll('\n', ' '));
  if (expressions.length < 20) throw new Error(`only ${expressions.length} expressions were found`);
  const { code, stderr } = await run(parser, [], { input: expressions.join('\n') });
  if (code !== 0) throw new Error(`these are no PromQL:\n${stderr}`);
  // A parser that takes everything would prove nothing.
  if ((await run(parser, [], { input: 'sum(' })).code === 0) throw new Error('the parser took what is no PromQL');
  return expressions.length;
}

interface Expression {
  readonly expr: string;
}

function expressionsOf({ kind, spec, data }: Manifest): string[] {
  if (kind === 'PrometheusRule') {
    return spec.groups.flatMap((group: { rules: Expression[] }) => group.rules.map(({ expr }) => expr));
  }
  if (kind === 'ScaledObject') return [spec.triggers[0].metadata.query];
  if (kind !== 'ConfigMap') return [];
  const { panels } = JSON.parse(Object.values(data)[0] as string) as { panels: { targets: Expression[] }[] };
  // These two are Grafana's, which puts a time and a name in their place.
  const filled = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', 'a');
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => filled(expr)));
}
