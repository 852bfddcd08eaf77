// The Node of the services of a running stack.
import { cacheDirOf } from '@taskgraph/launcher/backends/backends';
import { readNodeSetting } from '@taskgraph/launcher/configuration';
import { chooseNode, planNode } from '@taskgraph/launcher/node/node-choice';
import { silentReport } from '@taskgraph/launcher/progress';
import { expect, test } from 'vitest';
import { askAdmin } from '../stack/probes.ts';
import { sharedStack } from '../stack/shared-stack.ts';

test("workers run on Node 24 if it can be had, as in CI, and gateways on the launcher's", async () => {
  const stack = sharedStack();
  const versionOf = async (service: string) =>
    /^nodejs_version_info\{.*version="v([\d.]+)"/m.exec((await askAdmin(stack, service, '/metrics')).text)?.[1];
  const setting = readNodeSetting(process.env);
  const chosen = await chooseNode({ setting, cacheDir: cacheDirOf({}), report: silentReport, signal: undefined });
  const plan = planNode(setting);
  if (process.env.CI && plan.kind === 'package') expect(chosen.version).toBe(plan.wanted.version);
  expect(await versionOf('worker-1')).toBe(chosen.version);
  expect(await versionOf('worker-2')).toBe(chosen.version);
  expect(await versionOf('gateway-1')).toBe(process.versions.node);
});
