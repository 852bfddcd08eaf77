// The dashboard and the rules ask for metrics that the services really have, by labels that these really bear.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Labels of each metric, as docs/metrics.md says; tests of the services compare that table with their registries. */
const documented = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(taskgraph_\w+)` \| \w+ \| ([^|]*)\|/gm)].map(([, name, labels]) => [
    name as string,
    [...(labels as string).matchAll(/`(\w+)`/g)].map(([, label]) => label as string),
  ]),
);
const names = JSON.parse(read('helm/taskgraph/files/metrics.json')) as Record<string, string>;
/** What Prometheus adds by itself, or what belongs to histograms. */
const GIVEN = ['pod', 'namespace', 'le', 'instance'];

test('every metric that the chart names is one of the services', () => {
  expect(documented.size).toBeGreaterThan(20);
  expect(Object.values(names).filter((name) => !documented.has(name))).toEqual([]);
});

test('every alert of the chart is in the runbook, with its cause and its remedy, and no other is', () => {
  const alerts = [...read('helm/taskgraph/templates/prometheusrule.yaml').matchAll(/- alert: (\w+)/g)];
  const rows = [...read('docs/operations.md').matchAll(/^\| `(Taskgraph\w+)` \| [^|]{20,} \| [^|]{20,} \|$/gm)];
  const names = (found: RegExpMatchArray[]) => found.map(([, name]) => name as string).sort();
  expect(alerts.length).toBeGreaterThan(5);
  expect(names(rows)).toEqual(names(alerts));
});

test('every label by which the dashboard sums is one of its metric', () => {
  const summed = [...read('helm/taskgraph/files/dashboard.json').matchAll(/sum by \(([^)]*)\) \((?:rate\()?@(\w+)@/g)];
  expect(summed.length).toBeGreaterThan(5);
  const unknown = summed.flatMap(([, labels, key]) => {
    const known = [...GIVEN, ...(documented.get(names[key as string] as string) ?? [])];
    return (labels as string).split(', ').filter((label) => !known.includes(label));
  });
  expect(unknown).toEqual([]);
});
