import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { type Admin, openAdmin } from './admin.ts';
import { createHealth } from './health.ts';

const log = { info: () => undefined, error: () => undefined } as never;
const opened: Admin[] = [];
afterEach(() => Promise.all(opened.splice(0).map((admin) => admin.close())));

async function open(checks: Record<string, () => unknown> = {}) {
  const admin = await openAdmin({ host: '127.0.0.1', port: 0, log });
  opened.push(admin);
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${admin.port}${path}`, { method });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const readiness = async () => {
    const { status, text } = await ask('/readyz');
    return { status, ...JSON.parse(text) };
  };
  return { admin, ask, readiness, watched: { health: createHealth(checks), metrics: createMetrics() } };
}

describe('the admin port', () => {
  it('reports readiness from the start of the service to its end', async () => {
    const { admin, readiness, watched } = await open({ nats: () => true });
    expect(await readiness()).toEqual({ status: 503, state: 'starting', backends: {} });
    admin.ready(watched);
    expect(await readiness()).toEqual({ status: 200, state: 'ready', backends: { nats: 'up' } });
    admin.stopping();
    expect(await readiness()).toEqual({ status: 503, state: 'stopping', backends: { nats: 'up' } });
  });

  it('names each backend, and is not ready while one is unavailable', async () => {
    const { admin, readiness, watched } = await open({
      neo4j: () => Promise.reject(new Error('no')),
      nats: () => false,
      redis: async () => 'PONG',
    });
    admin.ready(watched);
    const backends = { neo4j: 'away', nats: 'away', redis: 'up' };
    expect(await readiness()).toEqual({ status: 503, state: 'ready', backends });
  });

  it('is ready without optional backends, and still names them', async () => {
    let nats = true;
    const { admin, readiness, watched } = await open({ nats: () => nats, redis: () => false });
    admin.ready({ ...watched, optional: ['redis'] });
    expect(await readiness()).toEqual({ status: 200, state: 'ready', backends: { nats: 'up', redis: 'away' } });
    nats = false;
    admin.ready({ ...watched, health: createHealth({ nats: () => nats, redis: () => true }), optional: ['redis'] });
    expect(await readiness()).toMatchObject({ status: 503 });
  });

  it('is alive regardless of its backends', async () => {
    const { admin, ask, watched } = await open({ neo4j: () => false });
    expect((await ask('/livez')).status).toBe(200);
    admin.ready(watched);
    admin.stopping();
    expect((await ask('/livez')).status).toBe(200);
  });

  it('provides metrics from the start of the service', async () => {
    const { admin, ask, watched } = await open();
    expect((await ask('/metrics')).status).toBe(503);
    watched.metrics.gauge('taskgraph_depth', 'Depth.', [], () => 4);
    admin.ready(watched);
    const { status, type, text } = await ask('/metrics?x=1');
    expect([status, type]).toEqual([200, watched.metrics.contentType]);
    expect(text).toMatch(/^taskgraph_depth 4$/m);
  });

  it('serves no other path, and a metric that cannot be read fails only its request', async () => {
    const { admin, ask, watched } = await open();
    watched.metrics.gauge('taskgraph_depth', 'Depth.', [], () => {
      throw new Error('a bug');
    });
    admin.ready(watched);
    expect((await ask('/metrics')).status).toBe(500);
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/livez', 'POST')).status).toBe(405);
    expect(await ask('/livez', 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('rejects a port that is taken', async () => {
    const { admin } = await open();
    await expect(openAdmin({ host: '127.0.0.1', port: admin.port, log })).rejects.toThrow('EADDRINUSE');
  });
});
