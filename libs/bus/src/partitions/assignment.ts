// The owner of each partition: rendezvous hashing, so that a worker that comes or goes moves only its own share.

/** The worker with the highest hash for a partition; null where there is no worker. The order of `workers` does not matter. */
export function desiredOwner(partition: number, workers: Iterable<string>): string | null {
  let best: string | null = null;
  let bestHash = -1;
  for (const worker of workers) {
    const hash = hashOf(`${partition}/${worker}`);
    // Equal hashes are decided by name, because all workers must come to the same answer.
    if (hash > bestHash || (hash === bestHash && best !== null && worker > best)) {
      best = worker;
      bestHash = hash;
    }
  }
  return best;
}

/** FNV-1a with a final mix (of murmur3): FNV alone hardly lets the last letters reach the high bits, and names differ just there. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
