// The values files that the proof goes through, and the least values for cases of one switch.
import { readdirSync } from 'node:fs';
import { chartPath } from './repository.ts';

export interface MatrixFile {
  /** `minimal` of `ci/minimal-values.yaml`. */
  readonly name: string;
  readonly path: string;
}

export function matrixFiles(): MatrixFile[] {
  const files = readdirSync(chartPath('ci')).filter((file) => file.endsWith('-values.yaml'));
  return files.sort().map((file) => ({ name: file.replace('-values.yaml', ''), path: chartPath('ci', file) }));
}

type Values = Readonly<Record<string, unknown>>;

const LEAST: Values = {
  neo4j: { url: 'neo4j://neo4j:7687' },
  nats: { url: 'nats://nats:4222' },
  secrets: { existingSecret: 'taskgraph' },
};

/** The least values with those of a case over them, map by map. */
export function over(values: Values): Values {
  return merge(LEAST, values);
}

function merge(under: Values, values: Values): Values {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(values)) {
    const below = merged[key];
    merged[key] = isMap(below) && isMap(value) ? merge(below, value) : value;
  }
  return merged;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
