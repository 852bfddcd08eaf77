// The life cycle of a service process: start, report readiness to the parent, stop once in bounded
// time, and exit on bugs.
import type { Log } from '../telemetry/log.ts';

export const STOP_LIMIT_MS = 10_000;

/** A started service. `stop` is called once and resolves when everything is released. */
export interface Service {
  stop(): Promise<void>;
}

/** The used part of `process`; tests provide their own. */
interface Host {
  on(event: string, listener: (argument: unknown) => void): unknown;
  send?: ((message: { type: 'ready' }) => unknown) | undefined;
  exit(code: number): void;
}

interface ServiceOptions {
  name: string;
  log: Log;
  start(): Promise<Service>;
  host?: Host;
  stopLimitMs?: number;
}

/**
 * Runs a service until SIGTERM, SIGINT or the parent's death (the IPC channel closes); then stops
 * it and exits with 0. Exits with 1 if the stop takes longer than 10 s, start or stop fails, or on
 * an unhandled rejection or uncaught exception. A signal during the start takes effect right after
 * it.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { name, log, start, host = process as Host, stopLimitMs = STOP_LIMIT_MS } = options;
  const die = (message: string, error: unknown) => {
    log.fatal({ error }, message);
    host.exit(1);
  };
  host.on('uncaughtException', (error) => die('uncaught exception', error));
  host.on('unhandledRejection', (error) => die('unhandled rejection', error));

  const started = start();
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, `${name} stops`);
    // The limit holds even if the start hangs, and does not keep a finished process alive.
    setTimeout(
      () => die(`${name} did not stop in time`, new Error(`not stopped in ${stopLimitMs} ms`)),
      stopLimitMs,
    ).unref();
    try {
      await (await started).stop();
      log.info(`${name} stopped`);
      host.exit(0);
    } catch (error) {
      die(`${name} failed to stop`, error);
    }
  };
  for (const reason of ['SIGTERM', 'SIGINT', 'disconnect']) host.on(reason, () => void stop(reason));

  try {
    await started;
  } catch (error) {
    return die(`${name} failed to start`, error);
  }
  log.info(`${name} is ready`);
  host.send?.({ type: 'ready' });
}
