import { expect, test } from 'vitest';
import { silentReport } from '../progress.ts';
import { chooseGatewayNode, type GatewayMachine, planGatewayNode } from './gateway-node.ts';
import { GATEWAY_NODE_PACKAGES } from './node-package.ts';

function machineWith(change: Partial<GatewayMachine>): GatewayMachine {
  const own = { path: '/opt/node/bin/node', version: '24.21.0' };
  return { own, platform: 'linux-x64', hasNativeServer: false, hasFile: () => true, ...change };
}

test('is the launcher’s Node if the native server is there for it', async () => {
  const machine = machineWith({ hasNativeServer: true, platform: 'win32-x64' });
  expect(planGatewayNode(machine)).toBe('own');
  expect(await chooseGatewayNode({ cacheDir: '', report: silentReport, signal: undefined }, machine)).toBe(machine.own);
});

test('is a package of Node 20 with a checksum otherwise', () => {
  expect(planGatewayNode(machineWith({}))).toBe(GATEWAY_NODE_PACKAGES['linux-x64']);
  expect(planGatewayNode(machineWith({ platform: 'darwin-x64' }))).toBe(GATEWAY_NODE_PACKAGES['darwin-x64']);
  for (const [platform, { name, version, integrity }] of Object.entries(GATEWAY_NODE_PACKAGES)) {
    expect(name).toBe(`node-${platform}`);
    expect(version).toMatch(/^20\.\d+\.\d+$/);
    expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
  }
});

test.each([
  ['without a package', { platform: 'darwin-arm64' }],
  ['without glibc', { hasFile: () => false }],
])('%s it is an error that says what to install', (_, change) => {
  expect(() => planGatewayNode(machineWith(change))).toThrow('gateways cannot run on Node 24.21.0');
});
