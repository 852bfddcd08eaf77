// Checks that the dashboard and the rules query existing metrics by existing labels.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/**
 * Type and labels of each metric in docs/metrics.md. The services' own tests compare that table
 * with their registries.
 */
const documented = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(taskgraph_\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(
    ([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label as string) },
    ],
  ),
);
const names = JSON.parse(read('helm/taskgraph/files/metrics.json')) as Record<string, string>;
/** Labels that Prometheus adds, or that belong to histograms. */
const GIVEN = ['pod', 'namespace', 'le', 'instance'];

test('every metric in the chart is a metric of the services', () => {
  expect(documented.size).toBeGreaterThan(20);
  expect(Object.values(names).filter((name) => !documented.has(name))).toEqual([]);
});

test("the runbook has exactly the chart's alerts, each with cause and remedy", () => {
  const alerts = [...read('helm/taskgraph/templates/prometheusrule.yaml').matchAll(/- alert: (\w+)/g)];
  const rows = [...read('docs/operations.md').matchAll(/^\| `(Taskgraph\w+)` \| [^|]{20,} \| [^|]{20,} \|$/gm)];
  const names = (found: RegExpMatchArray[]) => found.map(([, name]) => name as string).sort();
  expect(alerts.length).toBeGreaterThan(5);
  expect(names(rows)).toEqual(names(alerts));
});

test("the runbook has exactly the dashboard's graphs, in order, each with a description", () => {
  const { panels } = JSON.parse(read('helm/taskgraph/files/dashboard.json')) as { panels: Record<string, string>[] };
  const [, table = ''] = /^\| Graph \| Shows \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(read('docs/operations.md')) ?? [];
  expect(panels.length).toBeGreaterThan(10);
  expect(table.trimEnd().split('\n')).toEqual(
    panels.map(({ title, description }) => `| ${title} | ${description?.replace(/\.$/, '')} |`),
  );
});

/**
 * All queries of the dashboard: the metric, its labels, and whether it is used as a rate or as a
 * histogram part.
 */
const asked = [
  ...read('helm/taskgraph/files/dashboard.json').matchAll(/(?:by \(([^)]*)\) \()?(rate\()?@(\w+)@(_\w+)?\{/g),
].map(([, labels = '', rate, key = '', part]) => ({
  labels: labels.split(', ').filter((label) => label !== ''),
  rate: rate !== undefined,
  part,
  metric: documented.get(names[key] ?? ''),
  key,
}));

test('every label that the dashboard sums by belongs to the metric', () => {
  expect(asked.filter(({ labels }) => labels.length > 0).length).toBeGreaterThan(10);
  const unknown = asked.flatMap(({ labels, metric }) =>
    labels.filter((label) => ![...GIVEN, ...(metric?.labels ?? [])].includes(label)),
  );
  expect(unknown).toEqual([]);
});

test('the dashboard uses each metric by its type: rates of counters, buckets of histograms', () => {
  expect(asked.length).toBeGreaterThan(15);
  const typeOf = ({ rate, part }: (typeof asked)[number]) => {
    return part !== undefined ? 'histogram' : rate ? 'counter' : 'gauge';
  };
  expect(asked.filter((each) => each.metric?.type !== typeOf(each)).map(({ key }) => key)).toEqual([]);
});
