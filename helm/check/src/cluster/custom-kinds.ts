// The custom kinds that the chart can render, with the definitions from their own projects' Go
// modules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { goModule } from '../tools.ts';
import type { Api } from './api.ts';

const GATEWAY_API = ['sigs.k8s.io/gateway-api', 'v1.6.3'] as const;
const PROMETHEUS = ['github.com/prometheus-operator/prometheus-operator', 'v0.85.0'] as const;
const KEDA = ['github.com/kedacore/keda/v2', 'v2.21.0'] as const;

const DEFINITIONS = [
  { module: GATEWAY_API, file: 'config/crd/standard/gateway.networking.k8s.io_gateways.yaml' },
  { module: GATEWAY_API, file: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml' },
  { module: PROMETHEUS, file: 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml' },
  { module: PROMETHEUS, file: 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml' },
  { module: KEDA, file: 'config/crd/bases/keda.sh_scaledobjects.yaml' },
] as const;

const TRIES = 300;

/** Defines the kinds and waits until the API serves each. Returns the kinds. */
export async function defineCustomKinds(api: Api): Promise<string[]> {
  const kinds: string[] = [];
  for (const {
    module: [module, version],
    file,
  } of DEFINITIONS) {
    const definition = parse(readFileSync(join(await goModule(module, version), file), 'utf8'));
    await api.must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const { group, names, versions } = definition.spec;
    const { name: stored } = versions.find(({ storage }: { storage: boolean }) => storage);
    await served(api, `/apis/${group}/${stored}/${names.plural}`);
    kinds.push(names.kind);
  }
  return kinds;
}

async function served(api: Api, path: string): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if ((await api.send('GET', path)).status === 200) return;
    await sleep(100);
  }
  throw new Error(`${path} is not served`);
}
