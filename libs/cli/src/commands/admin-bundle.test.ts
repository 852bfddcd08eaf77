// Bundles while calls fail, with answers that the test gives.
import { TaskgraphError } from '@taskgraph/client';
import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { filesOf } from './admin-bundle.ts';

const worker = (name: string, process: string) => ({ kind: 'worker', name, process });
/** The answer at each path, or the code of its error. */
type Answers = Readonly<Record<string, object | string>>;
const ANSWERS: Answers = {
  '/api/admin/status': { services: [worker('one', '000001'), worker('two', '000002')], leases: null, truncated: false },
  '/api/capabilities': { version: '1.0.0', limits: { rest: {} } },
  '/api/admin/hooks': { hooks: [], next: null },
  '/api/admin/service 000001': { settings: [], metrics: 'x', truncated: false },
  '/api/admin/service 000002': 'not_found',
};

function requestWith(changed: Answers): Pick<Context, 'request'> {
  const answers = { ...ANSWERS, ...changed };
  return {
    async request<T>(_method: string, path: string, body: { process?: string } = {}) {
      const answer = answers[`${path} ${body.process ?? ''}`.trim()];
      if (typeof answer === 'object') return answer as T;
      throw new TaskgraphError({ code: (answer ?? 'internal') as never, message: 'It fails.', traceId: null });
    },
  };
}

async function bundleWith(changed: Answers) {
  const files = await filesOf(requestWith(changed));
  const { failed } = JSON.parse(files[0]?.content ?? '') as { failed: Record<string, string> };
  return { names: files.map(({ name }) => name), failed };
}

test('[ADMIN7] a failed call leaves out its part, and the bundle has the code of its error', async () => {
  const general = ['bundle.json', 'limits.json', 'status.json', 'webhooks.json'];
  const services = ['services/worker-one-000001.json', 'services/worker-one-000001.metrics.txt'];
  const silent = { 'services/worker-two-000002': 'not_found' };
  expect(await bundleWith({})).toEqual({ names: [...general, ...services], failed: silent });
  for (const [path, part] of [
    ['/api/capabilities', 'limits.json'],
    ['/api/admin/hooks', 'webhooks.json'],
  ] as const)
    expect(await bundleWith({ [path]: 'unavailable' })).toEqual({
      names: [...general, ...services].filter((name) => name !== part),
      failed: { [part]: 'unavailable', ...silent },
    });
  expect(await bundleWith({ '/api/admin/status': 'unavailable' })).toEqual({
    names: general.filter((name) => name !== 'status.json'),
    failed: { 'status.json': 'unavailable' },
  });
});

test('[ADMIN7] without the right, or a service, there is no bundle', async () => {
  for (const code of ['forbidden.session_required', 'client.disconnected'])
    await expect(filesOf(requestWith({ '/api/admin/status': code }))).rejects.toMatchObject({ code });
});
