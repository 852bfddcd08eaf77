// Clients run in their own processes, so that they take no time from the measuring process and
// their processor time can be measured.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The acts of a client process: each takes one plain value and returns another. */
export type Acts<A> = { readonly [Name in keyof A]: (input: never) => Promise<unknown> };

export interface ActRequest {
  readonly number: number;
  readonly act: string;
  readonly input: unknown;
}

export interface ActResponse {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface ClientProcess<A> {
  readonly pid: number;
  readonly acts: A;
  stop(): Promise<void>;
}

/** The first request, with the options. No act can have this name. */
export const BEGIN = '(begin)';

const STOP_LIMIT_MS = 5_000;

/**
 * Starts a client of a kind that child.ts knows. A failed act rejects here, and so does every
 * pending act if the process ends.
 */
export async function forkClient<A extends Acts<A>>(kind: string, options: unknown): Promise<ClientProcess<A>> {
  const child = fork(fileURLToPath(new URL('../child.js', import.meta.url)), [kind], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Preserves maps, typed arrays and NaN.
    serialization: 'advanced',
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let number = 0;
  const ended = once(child, 'exit');
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`the client process ${kind} has ended`));
    waiting.clear();
  });
  child.on('message', ({ number: which, value, error }: ActResponse) => {
    const act = waiting.get(which);
    waiting.delete(which);
    if (error === undefined) act?.resolve(value);
    else act?.reject(new Error(`${kind}: ${error}`));
  });
  const request = (act: string, input: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      if (!child.connected) return reject(new Error(`the client process ${kind} has ended`));
      waiting.set(++number, { resolve, reject });
      child.send({ number, act, input } satisfies ActRequest);
    });
  await request(BEGIN, options);
  const acts = new Proxy({}, { get: (_, act) => (input: unknown) => request(String(act), input) });
  return {
    pid: child.pid as number,
    acts: acts as A,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      if (child.connected) child.disconnect();
      await ended;
      clearTimeout(timer);
    },
  };
}
