// Checks that the dashboard and the rules query existing metrics by existing labels.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/**
 * Type and labels of each metric in docs/metrics.md. The services' own tests compare that table
 * with their registries.
 */
const documented = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `((?:taskgraph|kube)_\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(
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

const runbook = read('docs/operations.md');
const alerts = [
  ...new Set(
    [...read('helm/taskgraph/templates/prometheusrule.yaml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name),
  ),
];
/** Name and text of each section about an alert. */
const sections = new Map(
  [...runbook.matchAll(/^### (Taskgraph\w+)\n([\s\S]*?)(?=^##)/gm)].map(([, name = '', text = '']) => [name, text]),
);

test("the runbook has exactly the chart's alerts, in their order", () => {
  expect(alerts.length).toBeGreaterThan(5);
  expect([...sections.keys()]).toEqual(alerts);
});

test.each(alerts)('the section of %s says what it means, where to look, what to do, and when to escalate', (alert) => {
  const section = sections.get(alert) ?? '';
  const parts = section.match(/^\*\*(Meaning|Look at|Do|Escalate)\b/gm);
  expect(parts).toEqual(['**Meaning', '**Look at', '**Do', '**Escalate']);
  const [, commands = ''] = /\n```sh\n([\s\S]*?)```/.exec(section) ?? [];
  expect(commands).toMatch(/^(k|admin|for) /m);
  const metrics = [...section.matchAll(/\btaskgraph_[a-z_]*[a-z]\b/g)].map(([name]) => name);
  // A pattern may name several metrics by their common beginning.
  const isKnown = (name: string) => [...documented.keys()].some((each) => each.startsWith(name) || name === each);
  expect(metrics.filter((name) => !isKnown(name))).toEqual([]);
});

test('each alert has a severity, texts, its section and its graph, by the shared template', () => {
  const rules = read('helm/taskgraph/templates/prometheusrule.yaml')
    .split(/^ *- alert: /m)
    .slice(1);
  const { panels } = JSON.parse(read('helm/taskgraph/files/dashboard.json')) as { panels: Panel[] };
  const titles = panels.filter(({ type }) => type !== 'row').map(({ title }) => title);
  for (const rule of rules) {
    const [name = ''] = rule.split('\n');
    expect(rule).toMatch(
      new RegExp(`include "taskgraph\\.alert" \\(dict .*"alert" "${name}" "severity" "(critical|warning)"`),
    );
    expect(rule).toMatch(/"summary" [\s\S]*"description" /);
    expect(titles).toContain(/"panel" "([^"]+)"/.exec(rule)?.[1]);
  }
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

test("the runbook has exactly the dashboard's graphs, in order, each with a description", () => {
  const { panels } = JSON.parse(read('helm/taskgraph/files/dashboard.json')) as { panels: Panel[] };
  const [, table = ''] = /^\| Graph \| Shows \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(runbook) ?? [];
  const graphs = panels.filter(({ type }) => type !== 'row');
  expect(graphs.length).toBeGreaterThan(10);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(table.trimEnd().split('\n')).toEqual(
    graphs.map(({ title, description }) => `| ${title} | ${description.replace(/\.$/, '')} |`),
  );
});

test('the graphs of the dashboard are in rows and do not overlap', () => {
  const { panels } = JSON.parse(read('helm/taskgraph/files/dashboard.json')) as { panels: Panel[] };
  expect(panels[0]?.type).toBe('row');
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
});

test('each query of the dashboard is restricted to one release of one namespace', () => {
  const { panels } = JSON.parse(read('helm/taskgraph/files/dashboard.json')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const selectors = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/\{[^}]*\}/g) ?? []));
  expect(selectors.length).toBeGreaterThan(20);
  for (const selector of selectors) {
    expect(selector).toContain('namespace="$namespace"');
    // Whole names: another release may be named like this one and one of its services.
    expect(selector).toMatch(
      /[{,](service=~"\$release-\(gateway\|worker\|jobs\|hooks\)-admin"|cronjob="\$release-export"|job_name=~"\$release-export-\(\[0-9\]\+\|now\)")[,}]/,
    );
  }
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
