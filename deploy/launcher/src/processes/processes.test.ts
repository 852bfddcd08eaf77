import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  FIRST_DELAY_MS,
  LONGEST_DELAY_MS,
  nextDelayMs,
  type SupervisedOptions,
  type SupervisedProcess,
  supervise,
} from './processes.ts';

const READY = 'process.send({ type: "ready" });';
const STAY = 'setInterval(() => {}, 1000);';

let folder = '';
let child: SupervisedProcess | undefined;
let lines: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-processes-'));
  lines = [];
});

afterEach(async () => {
  await child?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(script: string, change: Partial<SupervisedOptions> = {}): SupervisedProcess {
  child = supervise({
    name: 'example',
    command: process.execPath,
    arguments: ['--eval', script],
    environment: process.env,
    logFile: join(folder, 'log', 'example.log'),
    report: { line: (text) => lines.push(text), status() {} },
    channel: true,
    readyTimeoutMs: 60_000,
    stopTimeoutMs: 2_000,
    ...change,
  });
  return child;
}

describe('a supervised process', () => {
  test('has started when it reports that it is ready', async () => {
    const running = start(READY + STAY);
    await running.started;
    expect(running.pid()).toBeGreaterThan(0);
  });

  test('is restarted when it is killed, and counts that', async () => {
    const running = start(READY + STAY);
    await running.started;
    const before = running.pid();
    running.kill('SIGKILL');
    await vi.waitFor(() => expect(running.restarts()).toBe(1), 60_000);
    expect(running.pid()).not.toBe(before);
    expect(lines).toEqual([`example ended (signal SIGKILL), starting it again in ${FIRST_DELAY_MS} ms`]);
  });

  test('reports a death with the last lines of its log, but not its stop', async () => {
    const deaths: unknown[] = [];
    const crash = "setTimeout(() => { console.error('no memory'); process.abort(); }, 100);";
    const running = start(READY + crash, { onDeath: (...death) => deaths.push(death) });
    await running.started;
    await vi.waitFor(() => expect(deaths.length).toBeGreaterThan(0), 60_000);
    await running.stop();
    expect(deaths[0]).toEqual(['example', 'signal SIGABRT', expect.arrayContaining(['no memory'])]);
  });

  test('that dies at start fails with its last lines', async () => {
    const running = start('console.error("no luck"); process.exitCode = 3;');
    await expect(running.started).rejects.toMatchObject({
      message: 'example died at start (exit code 3)',
      logLines: ['no luck'],
    });
  });

  test('that does not become ready is ended', async () => {
    const running = start(STAY, { readyTimeoutMs: 200 });
    await expect(running.started).rejects.toThrow('example was not ready in 0.2 s');
    expect(running.pid()).toBeUndefined();
  });

  test('whose program is missing fails', async () => {
    await expect(start('', { command: join(folder, 'none') }).started).rejects.toThrow('ENOENT');
  });

  test('stops on request, and is not restarted', async () => {
    const running = start(`process.on("SIGTERM", () => { console.log("drained"); process.exit(0); }); ${READY + STAY}`);
    await running.started;
    await running.stop();
    expect(readFileSync(join(folder, 'log', 'example.log'), 'utf8')).toBe('drained\n');
    expect(lines).toEqual([]);
  });

  test('that is stopped with its group by SIGSTOP drains too, instead of being killed', async () => {
    const running = start(
      `process.on("SIGTERM", () => { console.log("drained"); process.exit(0); }); ${READY + STAY}`,
      {
        stopTimeoutMs: 60_000,
      },
    );
    await running.started;
    process.kill(-(running.pid() as number), 'SIGSTOP');
    await running.stop();
    expect(readFileSync(join(folder, 'log', 'example.log'), 'utf8')).toBe('drained\n');
  });

  test('that does not stop is killed', async () => {
    const running = start(`process.on("SIGTERM", () => {}); ${READY + STAY}`, { stopTimeoutMs: 200 });
    await running.started;
    await running.stop();
    expect(running.pid()).toBeUndefined();
  });

  test('that dies too often is not restarted', async () => {
    const onGiveUp = vi.fn();
    const running = start(`${READY} setTimeout(() => process.exit(1), 50);`, { failureLimit: 3, onGiveUp });
    await running.started;
    await vi.waitFor(() => expect(onGiveUp).toHaveBeenCalledOnce(), 60_000);
    expect(onGiveUp.mock.calls[0]?.[0].message).toBe('example ended 3 times within a minute (exit code 1)');
    expect(lines).toHaveLength(2);
  }, 10_000);

  test('has a log of bounded size', async () => {
    const log = join(folder, 'example.log');
    writeFileSync(log, Buffer.alloc(21 * 1024 * 1024, '.'));
    await start(`console.log("new"); ${READY + STAY}`, { logFile: log }).started;
    expect(readFileSync(log, 'utf8')).toBe('new\n');
    expect(readFileSync(`${log}.1`).length).toBe(21 * 1024 * 1024);
  });
});

test('the delay grows to a limit while a process dies early, and resets after a long run', () => {
  const waits = [0];
  for (let death = 0; death < 7; death += 1) waits.push(nextDelayMs(waits.at(-1) ?? 0, 100));
  expect(waits.slice(1)).toEqual([FIRST_DELAY_MS, 400, 800, 1600, 3200, LONGEST_DELAY_MS, LONGEST_DELAY_MS]);
  expect(nextDelayMs(LONGEST_DELAY_MS, 60_000)).toBe(FIRST_DELAY_MS);
});
