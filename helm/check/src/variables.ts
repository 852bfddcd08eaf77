// The variables of each service in the chart: set by the chart, from a Secret, or from the
// service's `config`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { repositoryPath } from './repository.ts';

/** The chart's workloads, and `admin`, which runs the migration. */
export const SERVICES = ['gateway', 'worker', 'jobs', 'hooks', 'admin'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** One entry of a service's configuration.ts. */
interface Setting {
  readonly schema: z.ZodType;
  readonly default?: unknown;
  readonly description: string;
}

/**
 * An entry of a service's `config`: the variable, its default as a chart value, and its JSON
 * schema.
 */
export interface ConfigVariable {
  readonly name: string;
  readonly description: string;
  readonly default: string | number | boolean | null;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ServiceVariables {
  /** Variables that templates/_environment.tpl derives from other values. */
  readonly chart: readonly string[];
  /** Variables from Secrets, and whether the service requires them. */
  readonly secrets: Readonly<Record<string, boolean>>;
  readonly config: readonly ConfigVariable[];
}

/**
 * Variables that the chart derives itself: addresses and their names, ports, certificate files, the
 * number of gateways, the hosts of the backends, and the pod's name.
 */
const SET_BY_CHART =
  /^(NODE_ENV|HOST|PORT|ADMIN_HOST|ADMIN_PORT|GATEWAYS|(NEO4J|NATS)_(URL|USER)|(NEO4J|NATS|REDIS)_(CA_FILE|CERTIFICATE_FILE|KEY_FILE|SERVER_NAME)|REDIS_(MODE|SENTINEL_MASTER)|HOOKS_PROTECTED_HOSTS|[A-Z]+_ID)$/;

/** `OIDC_CLIENT_ID` and similar variables do not hold pod names. */
const NOT_A_POD = /CLIENT_ID$/;

const SECRET = /(PASSWORD|SECRET|_TOKEN|_KEY)$|^(REDIS|SMTP|HOOKS_PROXY)_URL$/;

/**
 * Their defaults suit one machine: a Redis on the same machine, and a NATS without authentication.
 */
const REQUIRED_IN_A_CLUSTER = new Set(['NATS_PASSWORD', 'REDIS_URL']);

/** Every workload has an admin port, which the probes use, so it is always set. */
const EVERYWHERE: readonly string[] = ['ADMIN_PORT'];

/** Reads the configuration of all services. Throws if a required variable has no source. */
export async function readVariables(): Promise<Readonly<Record<ServiceName, ServiceVariables>>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, await variablesOf(name)] as const));
  return Object.fromEntries(entries) as Record<ServiceName, ServiceVariables>;
}

async function variablesOf(service: ServiceName): Promise<ServiceVariables> {
  const path = join(repositoryPath('services', service), ...OWN_BUILD);
  if (!existsSync(path)) {
    throw new Error(`${path} is not there: run npm run build first`);
  }
  const { configuration } = (await import(pathToFileURL(path).href)) as { configuration: Record<string, Setting> };
  return classify(service, configuration);
}

/** Tests read the sources, the built program reads `dist`. */
const OWN_BUILD = import.meta.url.endsWith('.ts') ? ['src', 'configuration.ts'] : ['dist', 'configuration.js'];

/**
 * Sorts a service's variables. The chart uses `admin` only for the migration, which does not use
 * NATS. Throws if a required variable has no source.
 */
export function classify(service: string, configuration: Readonly<Record<string, Setting>>): ServiceVariables {
  const chart = new Set(service === 'admin' ? [] : EVERYWHERE);
  const secrets: Record<string, boolean> = {};
  const config: ConfigVariable[] = [];
  for (const [name, setting] of Object.entries(configuration)) {
    if (service === 'admin' && name.startsWith('NATS_')) continue;
    const isRequired = setting.default === undefined && !setting.schema.safeParse(undefined).success;
    if (SET_BY_CHART.test(name) && !NOT_A_POD.test(name)) chart.add(name);
    else if (SECRET.test(name)) secrets[name] = isRequired || REQUIRED_IN_A_CLUSTER.has(name);
    else if (isRequired) {
      throw new Error(
        `${name} of ${service} is required, and the chart does not set it: say in variables.ts what does`,
      );
    } else config.push(configVariable(name, setting));
  }
  return { chart: [...chart].sort(), secrets, config };
}

function configVariable(name: string, { schema, default: value, description }: Setting): ConfigVariable {
  return { name, description, default: textOf(value), schema: jsonSchema(schema) };
}

/**
 * A default as the text or number that the variable takes; list items are joined by commas. Null
 * leaves the variable out.
 */
function textOf(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  // Only the service can write such a default as text, and uses it if the variable is unset.
  return null;
}

/** The JSON schema of a variable's value; null leaves the variable out. */
function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...output } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  const number = output.type === 'integer' || output.type === 'number';
  const { $schema: __, ...taken } = number ? output : z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (taken.type === undefined || typeof taken.type !== 'string')
    return { type: ['string', 'number', 'boolean', 'null'] };
  if (taken.enum !== undefined) return { ...taken, type: [taken.type, 'null'], enum: [...taken.enum, null] };
  const types =
    taken.type === 'string' && output.type === 'boolean' ? ['string', 'boolean', 'null'] : [taken.type, 'null'];
  return { ...taken, type: types };
}
