import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { runService } from './lifecycle.ts';

/** A process that records the calls it receives. */
class FakeHost extends EventEmitter {
  readonly sent: unknown[] = [];
  readonly codes: number[] = [];
  send(message: unknown) {
    this.sent.push(message);
  }
  exit(code: number) {
    this.codes.push(code);
    this.emit('exited');
  }
}

function setup(lines: string[] = []) {
  const log = createLog({ name: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
  const host = new FakeHost();
  let stops = 0;
  const service = {
    async stop() {
      stops++;
    },
  };
  return { name: 'test', log, host, service, stops: () => stops };
}

describe('runService', () => {
  it('reports to the parent that it is ready', async () => {
    const { service, host, ...options } = setup();
    await runService({ ...options, host, start: async () => service });
    expect(host.sent).toEqual([{ type: 'ready' }]);
  });

  for (const reason of ['SIGTERM', 'SIGINT', 'disconnect']) {
    it(`stops once on ${reason}, and exits with 0`, async () => {
      const { service, host, stops, ...options } = setup();
      await runService({ ...options, host, start: async () => service });
      host.emit(reason);
      host.emit('SIGTERM');
      await once(host, 'exited');
      expect([stops(), host.codes]).toEqual([1, [0]]);
    });
  }

  it('exits with 1 when it does not stop in time', async () => {
    const { host, ...options } = setup();
    await runService({ ...options, host, stopLimitMs: 20, start: async () => ({ stop: () => new Promise(() => {}) }) });
    host.emit('SIGTERM');
    await once(host, 'exited');
    expect(host.codes).toEqual([1]);
  });

  it('exits with 1 when the start fails', async () => {
    const { host, ...options } = setup();
    await runService({ ...options, host, start: () => Promise.reject(new Error('no')) });
    expect([host.codes, host.sent]).toEqual([[1], []]);
  });

  it('stops on a signal during the start', async () => {
    const { service, host, stops, ...options } = setup();
    const running = runService({ ...options, host, start: async () => service });
    host.emit('SIGTERM');
    await Promise.all([running, once(host, 'exited')]);
    expect([stops(), host.codes]).toEqual([1, [0]]);
  });

  it('logs a bug with its stack, and exits with 1', async () => {
    const lines: string[] = [];
    const { service, host, ...options } = setup(lines);
    await runService({ ...options, host, start: async () => service });
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      host.emit(event, new Error('a bug'));
      expect(JSON.parse(lines.at(-1)!).error.stack).toContain('lifecycle.test.ts');
    }
    expect(host.codes).toEqual([1, 1]);
  });
});
