import { expect, test } from 'vitest';
import { metricTotal } from './scrape.ts';

const TEXT = `# HELP taskgraph_statements_total Statements.
# TYPE taskgraph_statements_total counter
taskgraph_statements_total{pool="commits"} 12
taskgraph_statements_total{pool="reads"} 30 # {trace_id="ab}"} 1
taskgraph_statements_total_more 100
taskgraph_late_total 2
# EOF`;

test('a metric is summed over its labels, or read for given ones, without metrics whose names only begin alike', () => {
  expect(metricTotal(TEXT, 'taskgraph_statements_total')).toBe(42);
  expect(metricTotal(TEXT, 'taskgraph_statements_total{pool="reads"}')).toBe(30);
  expect(metricTotal(TEXT, 'taskgraph_late_total')).toBe(2);
  expect(metricTotal(TEXT, 'taskgraph_other_total')).toBe(0);
});
