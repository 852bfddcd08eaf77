// Reads the tables of docs/metrics.md, for the tests of each service that compare them with its
// declarations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';

/** The declaration of one metric. */
interface MetricDeclaration {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly meaning: string;
}

/** The rows of the table under a heading, without its head. */
export function documentedMetrics(heading: string): string[] {
  const [, section = ''] = readFileSync(join(REPOSITORY, 'docs', 'metrics.md'), 'utf8').split(`\n## ${heading}\n`);
  return (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
}

/** The expected rows. */
export function metricRows(declared: readonly MetricDeclaration[]): string[] {
  return declared.map(({ name, type, labels, meaning }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${shown}${shown === '' ? '' : ' '}| ${meaning} |`;
  });
}
