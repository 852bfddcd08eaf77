// A closed terminal sends SIGHUP, and ends npm. Both together are one signal.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forwardSignals } from './forwarded-signals.ts';
import { watchStopSignals } from './stop-signals.ts';

const EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'] as const;
/** Longer than the check for the parent, and than a signal takes to count as a second one. */
const LATER_MS = 1_000;

const exit = vi.fn();
const parent = vi.fn(() => 2);
let listeners = new Set<unknown>();

beforeEach(() => {
  listeners = new Set(EVENTS.flatMap((event) => process.rawListeners(event)));
  vi.useFakeTimers();
  vi.stubEnv('npm_lifecycle_event', 'start');
  parent.mockReturnValue(2);
  vi.spyOn(process, 'ppid', 'get').mockImplementation(parent);
  vi.spyOn(process, 'exit').mockImplementation(exit as never);
});
afterEach(() => {
  for (const event of EVENTS)
    for (const listener of process.rawListeners(event))
      if (!listeners.has(listener)) process.removeListener(event, listener as () => void);
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  exit.mockReset();
});

/** The machine is so busy that the check for the parent is late. */
function endParent(): void {
  parent.mockReturnValue(1);
  vi.setSystemTime(Date.now() + LATER_MS);
  vi.advanceTimersByTime(LATER_MS);
}

test('a closed terminal stops a program in order, and only a later signal ends it at once', () => {
  const onStop = vi.fn();
  watchStopSignals(onStop);
  process.emit('SIGHUP');
  endParent();
  expect(onStop).toHaveBeenCalledOnce();
  expect(exit).not.toHaveBeenCalled();
  process.emit('SIGTERM');
  expect(exit).toHaveBeenCalledExactlyOnceWith(130);
});

test('the end of npm alone stops a program in order', () => {
  const onStop = vi.fn();
  watchStopSignals(onStop);
  endParent();
  expect(onStop).toHaveBeenCalledOnce();
  expect(exit).not.toHaveBeenCalled();
});

test('a child gets one signal of a closed terminal, and SIGTERM if npm alone ends', () => {
  const [one, other] = [{ kill: vi.fn() }, { kill: vi.fn() }];
  forwardSignals(one);
  process.emit('SIGHUP');
  forwardSignals(other);
  endParent();
  expect(one.kill.mock.calls).toEqual([['SIGHUP']]);
  expect(other.kill.mock.calls).toEqual([['SIGTERM']]);
});
