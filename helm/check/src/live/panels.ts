// The dashboard's panels as Grafana would fill them, from a Prometheus that scraped real services.
import type { Manifest } from '../helm.ts';
import { NAMESPACE, type Prometheus, type Series } from './prometheus.ts';

/** Long enough to have several scrapes in it, short enough to show an outage of seconds. */
const RATE_SECONDS = 10;

interface Written {
  readonly title: string;
  readonly description: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Line {
  readonly name: string;
  readonly points: Series['points'];
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  /** Where it stands in a grid of 24 columns. */
  readonly place: Written['gridPos'];
  readonly lines: readonly Line[];
}

/** Fills all panels. Throws where an expression gives nothing: it would be an empty graph on somebody's wall. */
export async function fillPanels(dashboard: Manifest, prometheus: Prometheus, from: number, to: number) {
  const { panels } = JSON.parse(Object.values(dashboard.data)[0] as string) as { panels: Written[] };
  const filled: Panel[] = [];
  const empty: string[] = [];
  for (const { title, gridPos, fieldConfig, targets } of panels) {
    const lines: Line[] = [];
    for (const { expr, legendFormat } of targets) {
      const asked = expr.replaceAll('$__rate_interval', `${RATE_SECONDS}s`).replaceAll('$namespace', NAMESPACE);
      const series = (await prometheus.query(asked, from, to)).filter(({ points }) => points.length > 0);
      if (series.length === 0) empty.push(`${title}: ${asked}`);
      lines.push(...series.map(({ labels, points }) => ({ name: nameOf(legendFormat, labels), points })));
    }
    filled.push({ title, unit: fieldConfig.defaults.unit, place: gridPos, lines });
  }
  if (empty.length > 0) throw new Error(`these give nothing:\n${empty.join('\n')}`);
  return filled;
}

/** `{{pod}}` stands for the label. */
function nameOf(legend: string, labels: Series['labels']): string {
  return legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '');
}
