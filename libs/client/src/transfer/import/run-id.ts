// Ids of runs of imports: UUIDs of version 7, which the service accepts.

/** A random id. Browsers have `crypto.randomUUID` only on pages with TLS, so it is made of random bytes. */
export function newRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const time = Date.now().toString(16).padStart(12, '0').slice(-12);
  const hex = time + [...bytes.subarray(6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const digits = `${hex.slice(0, 12)}7${hex.slice(13, 16)}8${hex.slice(17)}`;
  return [8, 12, 16, 20, 32].map((end, index, ends) => digits.slice(index === 0 ? 0 : ends[index - 1], end)).join('-');
}
