// Generates values.schema.json from values.yaml: types from the defaults, constraints from the
// comments, and conditions between values.
import { parse } from 'yaml';
import { type DocumentedKey, isMap, readDocumented, type Values } from './values-file.ts';

type Schema = Record<string, unknown>;

/** Workloads, each of which may override any key of `defaults`. */
const WORKLOADS = ['gateway', 'worker', 'jobs', 'hooks'];

const isOn = (key: string): Schema => ({ required: [key], properties: { [key]: { const: true } } });
const notEmpty = { minItems: 1 };
const said = { minLength: 1 };
const none = { const: 0 };
const forSentinels = { required: ['mode'], properties: { mode: { const: 'sentinel' } } };

/** Conditions on another value of the same map, by the map's path. */
const CONDITIONS: Readonly<Record<string, readonly Schema[]>> = {
  ingress: [
    {
      if: isOn('enabled'),
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { hosts: notEmpty } },
    },
    {
      if: { allOf: [isOn('enabled'), { properties: { allowPlainHttp: { const: false } } }] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { tls: notEmpty } },
    },
  ],
  gatewayApi: [
    {
      if: { allOf: [isOn('enabled'), { properties: { createGateway: { const: false } } }] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { parentRefs: notEmpty } },
    },
    {
      if: { allOf: [isOn('enabled'), isOn('createGateway')] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { className: said, tlsSecretName: said } },
    },
  ],
  redis: [
    {
      if: forSentinels,
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { sentinelMaster: said } },
      else: { properties: { sentinelMaster: { const: '' } } },
    },
  ],
  exports: [
    {
      if: isOn('enabled'),
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { volume: { minProperties: 1 } } },
    },
  ],
  'monitoring.prometheusRule': [
    {
      if: isOn('enabled'),
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { runbookUrl: said } },
    },
  ],
  'gateway.autoscaling': [
    {
      if: {
        allOf: [isOn('enabled'), { properties: { targetCPUUtilizationPercentage: none, targetConnections: none } }],
      },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { metrics: notEmpty } },
    },
  ],
  worker: [
    {
      if: { required: ['keda'], properties: { keda: isOn('enabled') } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { autoscaling: { properties: { enabled: { const: false } } } } },
    },
    {
      if: {
        required: ['keda'],
        properties: { keda: { allOf: [isOn('enabled'), { properties: { prometheusAddress: { const: '' } } }] } },
      },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: { properties: { keda: { properties: { triggers: notEmpty } } } },
    },
  ],
};

/** The schema of the values, from the text of values.yaml. */
export function schemaOf(text: string): Schema {
  const documented = new Map(readDocumented(text).map((each) => [each.path, each]));
  const values = parse(text) as Values;
  const schema = schemaAt('', values, documented);
  const properties = schema.properties as Record<string, Schema>;
  const shared = (properties.defaults?.properties ?? {}) as Record<string, Schema>;
  for (const name of WORKLOADS) {
    const own = properties[name] as { properties: Record<string, Schema> };
    own.properties = { ...shared, ...own.properties };
  }
  // Helm adds these values to every chart.
  properties.global = { type: 'object' };
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the Taskgraph chart', ...schema };
}

function schemaAt(path: string, value: unknown, documented: ReadonlyMap<string, DocumentedKey>): Schema {
  const own = documented.get(path);
  const said = { ...(own ? { description: own.description } : {}), ...own?.schema };
  const isSection = isMap(value) && (own === undefined || hasBelow(path, documented));
  if (!isSection) return { ...typeOf(value, own?.schema), ...said };
  const below = Object.entries(value).map(([key, each]) => {
    return [key, schemaAt(path === '' ? key : `${path}.${key}`, each, documented)] as const;
  });
  const conditions = CONDITIONS[path] === undefined ? {} : { allOf: CONDITIONS[path] };
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(below),
    ...conditions,
    ...said,
  };
}

function hasBelow(path: string, documented: ReadonlyMap<string, DocumentedKey>): boolean {
  return [...documented.keys()].some((each) => each.startsWith(`${path}.`));
}

function typeOf(value: unknown, said: Schema | undefined): Schema {
  if (said?.type !== undefined || said?.const !== undefined) return {};
  if (Array.isArray(value)) return { type: 'array' };
  if (value === null) throw new Error('a value is null by default, and its @schema has no type');
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  return { type: typeof value };
}
