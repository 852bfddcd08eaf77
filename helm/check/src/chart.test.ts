// Compares the chart with the repository: every variable of every service, and no outdated
// generated files. The suites of helm-unittest check what the chart renders and rejects.
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { staleFiles } from './generate.ts';
import { chartPath, repositoryPath } from './repository.ts';
import { valueAt } from './values-file.ts';
import { classify, readVariables, SERVICES, type ServiceName, type ServiceVariables } from './variables.ts';

const text = readFileSync(chartPath('values.yaml'), 'utf8');
const defaults = parse(text) as Record<string, unknown>;

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

  it('templates set every variable that counts as set by the chart', () => {
    const template = readFileSync(chartPath('templates', '_environment.tpl'), 'utf8');
    const set = [...template.matchAll(/^ {2}"([A-Z0-9_]+)" /gm)].map(([, name]) => name);
    // Templates build the pods' names and the variables of optional backend values; the chart's
    // suites check those.
    const putTogether = /_(ID|SENTINEL_MASTER|CA_FILE|CERTIFICATE_FILE|KEY_FILE|SERVER_NAME)$/;
    const wanted = new Set(
      SERVICES.flatMap((service) => variables[service].chart).filter((name) => !putTogether.test(name)),
    );
    expect([...wanted].filter((name) => !set.includes(name))).toEqual([]);
  });

  it('a required variable without a source is an error with its name', () => {
    const configuration = { SOMETHING: { schema: z.string(), description: 'Something.' } };
    expect(() => classify('gateway', configuration)).toThrow('SOMETHING of gateway is required');
  });
});

describe('the network policies', () => {
  it('allow each service the connections of its settings', async () => {
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

test('a gateway gets no credentials of Neo4j: not from the chart, and not from compose.yaml', () => {
  const known = parse(readFileSync(chartPath('files', 'variables.json'), 'utf8'));
  const named = [...known.gateway.chart, ...Object.keys(known.gateway.secrets)];
  expect(named.filter((name: string) => name.startsWith('NEO4J'))).toEqual([]);
  expect(Object.keys(known.worker.secrets)).toContain('NEO4J_PASSWORD');
  // A Secret with all keys must not become the environment of a service as a whole.
  for (const template of ['_workload.tpl', 'gateway.yaml', '_environment.tpl']) {
    expect(readFileSync(chartPath('templates', template), 'utf8')).not.toMatch(/secretRef:/);
  }
  const compose = parse(readFileSync(repositoryPath('deploy', 'compose.yaml'), 'utf8'), { merge: true });
  expect(JSON.stringify(compose.services.gateway)).not.toMatch(/NEO4J|bolt:/);
  expect(JSON.stringify(compose.services['worker-1'])).toMatch(/NEO4J_PASSWORD/);
});

test('hooks have the annotations of Helm alone, because one of Argo CD would switch them off there', () => {
  const files = readdirSync(chartPath('templates'), { recursive: true, encoding: 'utf8' });
  const templates = files.filter((file) => /\.(yaml|tpl)$/.test(file));
  const texts = templates.map((file) => readFileSync(chartPath('templates', file), 'utf8'));
  expect(texts.filter((text) => text.includes('argocd.argoproj.io/'))).toEqual([]);
  const hooks = texts.flatMap((text) => [...text.matchAll(/"helm\.sh\/hook" "([^"]+)"/g)].map(([, kinds]) => kinds));
  expect(hooks.sort()).toEqual(['pre-install,pre-upgrade', 'test', 'test']);
});

describe('the generated files', () => {
  it('are up to date', async () => {
    expect(await staleFiles(), 'run npm run helm:generate').toEqual([]);
  });
});

describe('proxies', () => {
  it('examples contain no wide networks', () => {
    const files = [chartPath('README.md'), repositoryPath('docs/configuration.md'), repositoryPath('docs/limits.md')];
    for (const file of files) expect(readFileSync(file, 'utf8')).not.toMatch(/TRUSTED_PROXIES.{0,200}\/1?\d`/);
  });
});

describe('the README', () => {
  const readme = readFileSync(chartPath('README.md'), 'utf8');

  it('every switch in the table of features is a value', () => {
    const table = readme.split('\n## ').find((section) => section.startsWith('Features\n')) ?? '';
    const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
    const named = rows.flatMap((row) =>
      [...(row.split('|').at(-2) ?? '').matchAll(/`([\w.]+)`/g)].map(([, path]) => path),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => valueAt(defaults, path as string) === undefined)).toEqual([]);
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(repositoryPath('deploy', 'image', 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');

  it('runs only tested scripts during its build', () => {
    const steps = dockerfile.split('\n').filter((line) => line.startsWith('RUN '));
    const scripts = steps.flatMap((step) => step.replace(/^RUN( --\S+)*( \w+=\S+)*/, '').split('&&'));
    expect(scripts.length).toBe(4);
    for (const script of scripts) expect(script).toMatch(/^ *deploy\/image\/\w+\.sh( \/\S+)+( \$\{\w+_SHA256\})? *$/);
  });

  it("downloads nothing without a checksum, and so do the backends' images", () => {
    const compose = readFileSync(repositoryPath('deploy', 'compose.yaml'), 'utf8');
    const bases = [...dockerfile.matchAll(/^ARG \w+_IMAGE=(.*)$/gm), ...compose.matchAll(/^ {4}image: (.*)$/gm)];
    expect(bases).toHaveLength(4);
    for (const [, image] of bases) expect(image).toMatch(/^[\w.:/-]+@sha256:[0-9a-f]{64}$/);
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/^\$\{\w+_IMAGE\}$/);
    expect(dockerfile.match(/https?:\/\/(?!\$)\S+/g)).toHaveLength(1);
    expect(dockerfile).toMatch(/^ARG UWEBSOCKETS_SHA256=[0-9a-f]{64}$/m);
    expect(dockerfile).toMatch(/uwebsockets\.sh \/application \S+ \$\{UWEBSOCKETS_SHA256\}/);
  });

  it('runs beside backends without passwords on command lines, and gateways have no database access', () => {
    const compose = parse(readFileSync(repositoryPath('deploy', 'compose.yaml'), 'utf8'), { merge: true }) as {
      services: Record<
        string,
        { command?: unknown; healthcheck?: { test?: unknown }; environment: Record<string, unknown> }
      >;
    };
    for (const { command, healthcheck } of Object.values(compose.services)) {
      // Compose replaces `${NAME}` before a container starts. `$$NAME` is left to a shell, which
      // must not pass it on as an argument.
      const lines = JSON.stringify([command ?? null, healthcheck?.test ?? null]);
      expect(lines).not.toMatch(/--requirepass| -p |(?<!\$)\$\{\w*PASSWORD/);
    }
    const { gateway, 'worker-1': worker } = compose.services;
    expect(Object.keys(gateway?.environment ?? {}).filter((name) => name.startsWith('NEO4J'))).toEqual([]);
    expect(worker?.environment).toHaveProperty('NEO4J_PASSWORD');
  });

  it('of the Neo4j that restores exports is that of compose.yaml', () => {
    const compose = parse(readFileSync(repositoryPath('deploy', 'compose.yaml'), 'utf8'), { merge: true });
    expect(valueAt(defaults, 'exports.restoreTest.image')).toBe(compose.services.neo4j.image);
  });

  it('does not run as root', () => {
    const { podSecurityContext } = defaults.defaults as {
      podSecurityContext: { runAsUser: number; runAsGroup: number };
    };
    const { runAsUser, runAsGroup } = podSecurityContext;
    expect(dockerfile).toContain(`\nUSER ${runAsUser}:${runAsGroup}\n`);
  });
});
