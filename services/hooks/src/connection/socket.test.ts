import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { unlessAborted, withLimit } from './socket.ts';

const HANG_MS = 20_000;

/** Collects garbage until the work ends, as a busy service does. */
async function whileCollecting<T>(work: Promise<T>): Promise<T> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const timer = setInterval(collect, 10);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

const forever = (signal: AbortSignal) => unlessAborted(new Promise<never>(() => undefined), signal);

test('[HOOK8] a limit ends its work also while garbage is collected', { timeout: HANG_MS }, async () => {
  const { signal } = new AbortController();
  await expect(whileCollecting(withLimit(signal, 200, forever))).rejects.toThrow('no answer in time');
});

test('[HOOK8] an attempt that ends, before or during the work, ends the work', { timeout: HANG_MS }, async () => {
  const attempt = new AbortController();
  const work = withLimit(attempt.signal, 10 * HANG_MS, forever);
  attempt.abort();
  await expect(work).rejects.toThrow('no answer in time');
  await expect(withLimit(attempt.signal, 10 * HANG_MS, forever)).rejects.toThrow('no answer in time');
});

test('[HOOK8] work that ends within its limit gives its result', async () => {
  const { signal } = new AbortController();
  await expect(withLimit(signal, HANG_MS, async () => 'open')).resolves.toBe('open');
});
