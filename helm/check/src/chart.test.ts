// The chart against the repository: every variable of every service, every value documented, and nothing generated out of date.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { staleFiles } from './generate.ts';
import { matrixFiles, over } from './matrix.ts';
import { chartPath, repositoryPath } from './repository.ts';
import { readDocumented, undocumentedLeaves, valueAt } from './values-file.ts';
import { classify, readVariables, SERVICES, type ServiceName, type ServiceVariables } from './variables.ts';

const text = readFileSync(chartPath('values.yaml'), 'utf8');
const defaults = parse(text) as Record<string, unknown>;
const validate = new Ajv({ allErrors: true, strictTypes: false, validateFormats: false }).compile(
  JSON.parse(readFileSync(chartPath('values.schema.json'), 'utf8')),
);

/** What the schema says of values over the defaults, as Helm puts them together. */
function problems(values: object): string[] {
  const merged = mergeMaps(defaults, over(values as Record<string, unknown>));
  return validate(merged)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function mergeMaps(under: Record<string, unknown>, values: Record<string, unknown>): Record<string, unknown> {
  const isMap = (value: unknown): value is Record<string, unknown> => {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  };
  const merged = { ...under };
  for (const [key, value] of Object.entries(values)) {
    const below = merged[key];
    merged[key] = isMap(below) && isMap(value) ? mergeMaps(below, value) : value;
  }
  return merged;
}

describe('the variables of the services', () => {
  let variables: Readonly<Record<ServiceName, ServiceVariables>>;
  beforeAll(async () => {
    variables = await readVariables();
  });

  it.each(SERVICES)('%s: each is in its config with its default, from a Secret, or set by the chart', (service) => {
    const { chart, secrets, config } = variables[service];
    const file = service === 'admin' ? 'migration' : service;
    const known = parse(readFileSync(chartPath('files', 'variables.json'), 'utf8'))[service];
    expect(known).toEqual({ chart, secrets });
    const given = Object.fromEntries(config.map(({ name, default: value }) => [name, value]));
    expect(valueAt(defaults, `${file}.config`)).toEqual(given);
  });

  it('templates set all that is said to be set by the chart', () => {
    const template = readFileSync(chartPath('templates', '_environment.tpl'), 'utf8');
    const set = [...template.matchAll(/^ {2}"([A-Z0-9_]+)" /gm)].map(([, name]) => name);
    // Names of pods, and what `tls` of a backend sets, are put together there; the proof's cases of switches look at them.
    const putTogether = /_(ID|CA_FILE|CERTIFICATE_FILE|KEY_FILE|SERVER_NAME)$/;
    const wanted = new Set(
      SERVICES.flatMap((service) => variables[service].chart).filter((name) => !putTogether.test(name)),
    );
    expect([...wanted].filter((name) => !set.includes(name))).toEqual([]);
  });

  it('a required variable that nothing sets is named', () => {
    const configuration = { SOMETHING: { schema: z.string(), description: 'Something.' } };
    expect(() => classify('gateway', configuration)).toThrow('SOMETHING of gateway is required');
  });
});

describe('the network policies', () => {
  it('let each service reach what it speaks to, as its settings say', async () => {
    const variables = await readVariables();
    const template = readFileSync(chartPath('templates', '_environment.tpl'), 'utf8');
    const [, table = ''] = /define "taskgraph.backends" -}}\n\{\{- get \(dict (.*)\) \. \| toJson/.exec(template) ?? [];
    const said = [...table.matchAll(/"(\w+)" \(list ([^)]*)\)/g)].map(([, service, list = '']) => [
      service,
      [...list.matchAll(/"(\w+)"/g)].map(([, backend]) => backend),
    ]);
    const wanted = SERVICES.map((service) => {
      const { chart, secrets } = variables[service];
      const has = (name: string) => chart.includes(name) || Object.hasOwn(secrets, name);
      return [service, ['neo4j', 'nats', 'redis'].filter((backend) => has(`${backend.toUpperCase()}_URL`))];
    });
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(wanted));
    expect(Object.fromEntries(wanted).gateway).not.toContain('neo4j');
  });
});

describe('values', () => {
  it('each is documented', () => {
    expect(undocumentedLeaves(text)).toEqual([]);
    expect(undocumentedLeaves('a:\n  # -- Said.\n  b: 1\n  c: 2\n')).toEqual(['a.c']);
  });

  it('what is generated is up to date', async () => {
    expect(await staleFiles(), 'run npm run helm:generate').toEqual([]);
  });

  it.each(matrixFiles())('those of ci/$name fit the schema', ({ path }) => {
    expect(problems(parse(readFileSync(path, 'utf8'), { merge: true }))).toEqual([]);
  });

  it('the least fit the schema, and the defaults alone do not, since addresses are missing', () => {
    expect(problems({})).toEqual([]);
    expect(validate(defaults)).toBe(false);
  });

  it.each([
    ['gateway', { gateway: { replicaCount: 1 } }, '/gateway must NOT have additional properties'],
    ['a variable', { worker: { config: { WORKER_LANES: 65 } } }, '/worker/config/WORKER_LANES must be <= 64'],
    ['an address', { neo4j: { url: 'http://neo4j' } }, '/neo4j/url must match pattern'],
  ])('a wrong value is named: %s', (_, values, says) => {
    expect(problems(values).join('\n')).toContain(says);
  });
});

describe('[WIRE7] connections are HTTPS alone', () => {
  const hosts = ['tasks.example.com'];

  it('an Ingress without TLS is refused', () => {
    expect(problems({ ingress: { enabled: true, hosts } })).toContain('/ingress/tls must NOT have fewer than 1 items');
  });

  it('unless TLS is said to end in front of it', () => {
    expect(problems({ ingress: { enabled: true, hosts, allowPlainHttp: true } })).toEqual([]);
  });

  it('a Gateway without a certificate is refused', () => {
    const gatewayApi = { enabled: true, createGateway: true, className: 'envoy' };
    expect(problems({ gatewayApi }).join('\n')).toContain('/gatewayApi/tlsSecretName');
    expect(problems({ gatewayApi: { ...gatewayApi, tlsSecretName: 'tls' } })).toEqual([]);
  });
});

describe('proxies', () => {
  it.each(matrixFiles())('ci/$name trusts some where callers come from outside, and no wide network', ({ path }) => {
    const values = parse(readFileSync(path, 'utf8'), { merge: true });
    const trusted = String(values.gateway?.config?.TRUSTED_PROXIES ?? '');
    const isOutside = values.ingress?.enabled === true || values.gatewayApi?.enabled === true;
    expect(trusted !== '').toBe(isOutside);
    for (const network of trusted.split(',').filter(Boolean)) {
      expect(Number(network.split('/')[1] ?? 32), network).toBeGreaterThanOrEqual(24);
    }
  });

  it('examples name no wide network', () => {
    const files = [chartPath('README.md'), repositoryPath('docs/configuration.md'), repositoryPath('docs/limits.md')];
    for (const file of files) expect(readFileSync(file, 'utf8')).not.toMatch(/TRUSTED_PROXIES.{0,200}\/1?\d`/);
  });

  it('the notes after an install hold the warnings', () => {
    const warnings = readFileSync(chartPath('templates', '_warnings.tpl'), 'utf8');
    for (const says of ['names no proxy', 'names a wide network'])
      expect(warnings).toContain(`TRUSTED_PROXIES ${says}`);
    expect(readFileSync(chartPath('templates', 'NOTES.txt'), 'utf8')).toContain('include "taskgraph.warnings" .');
  });
});

describe('what the README says', () => {
  const readme = readFileSync(chartPath('README.md'), 'utf8');

  it('every switch of the table of features is a value', () => {
    const table = readme.split('\n## ').find((section) => section.startsWith('Features\n')) ?? '';
    const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
    const named = rows.flatMap((row) =>
      [...(row.split('|').at(-2) ?? '').matchAll(/`([\w.]+)`/g)].map(([, path]) => path),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => valueAt(defaults, path as string) === undefined)).toEqual([]);
  });

  it('every value has a row', () => {
    const paths = readDocumented(text).map(({ path }) => path);
    const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
    expect(leaves.length).toBeGreaterThan(100);
    expect(leaves.filter((path) => !readme.includes(`| \`${path}\` |`))).toEqual([]);
  });
});

describe('monitoring', () => {
  const metrics = Object.keys(JSON.parse(readFileSync(chartPath('files', 'metrics.json'), 'utf8')));

  it('the dashboard names only metrics of files/metrics.json', () => {
    const dashboard = readFileSync(chartPath('files', 'dashboard.json'), 'utf8');
    const named = new Set([...dashboard.matchAll(/@(\w+?)@/g)].map(([, name]) => name as string));
    expect(named.size).toBeGreaterThan(5);
    expect([...named].filter((name) => !metrics.includes(name))).toEqual([]);
  });

  it('so do the templates', () => {
    const templates = ['prometheusrule.yaml', 'autoscaling.yaml'].map((file) => {
      return readFileSync(chartPath('templates', file), 'utf8');
    });
    const named = [...templates.join('').matchAll(/\$metrics\.(\w+)/g)].map(([, name]) => name as string);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !metrics.includes(name))).toEqual([]);
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(repositoryPath('deploy', 'image', 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');

  it('runs nothing while it is built but the scripts that a test tries', () => {
    const steps = dockerfile.split('\n').filter((line) => line.startsWith('RUN '));
    const scripts = steps.flatMap((step) => step.replace(/^RUN( --\S+)*( \w+=\S+)*/, '').split('&&'));
    expect(scripts.length).toBe(4);
    for (const script of scripts) expect(script).toMatch(/^ *deploy\/image\/\w+\.sh( \/\S+)+( \$\{\w+_SHA256\})? *$/);
  });

  it('takes nothing without a checksum, nor do the backends beside it', () => {
    const compose = readFileSync(repositoryPath('deploy', 'compose.yaml'), 'utf8');
    const bases = [...dockerfile.matchAll(/^ARG \w+_IMAGE=(.*)$/gm), ...compose.matchAll(/^ {4}image: (.*)$/gm)];
    expect(bases).toHaveLength(4);
    for (const [, image] of bases) expect(image).toMatch(/^[\w.:/-]+@sha256:[0-9a-f]{64}$/);
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/^\$\{\w+_IMAGE\}$/);
    expect(dockerfile.match(/https?:\/\/(?!\$)\S+/g)).toHaveLength(1);
    expect(dockerfile).toMatch(/^ARG UWEBSOCKETS_SHA256=[0-9a-f]{64}$/m);
    expect(dockerfile).toMatch(/uwebsockets\.sh \/application \S+ \$\{UWEBSOCKETS_SHA256\}/);
  });

  it('is not run as root', () => {
    const { podSecurityContext } = defaults.defaults as {
      podSecurityContext: { runAsUser: number; runAsGroup: number };
    };
    const { runAsUser, runAsGroup } = podSecurityContext;
    expect(dockerfile).toContain(`\nUSER ${runAsUser}:${runAsGroup}\n`);
  });
});
