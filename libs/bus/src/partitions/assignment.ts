// Assigns partitions to workers by rendezvous hashing, so that a joining or leaving worker moves
// only its own share.

/**
 * The worker with the highest hash for a partition; null without workers. The order of `workers`
 * does not matter.
 */
export function desiredOwner(partition: number, workers: Iterable<string>): string | null {
  let best: string | null = null;
  let bestHash = -1;
  for (const worker of workers) {
    const hash = hashOf(`${partition}/${worker}`);
    // Names break ties, because all workers must reach the same result.
    if (hash > bestHash || (hash === bestHash && best !== null && worker > best)) {
      best = worker;
      bestHash = hash;
    }
  }
  return best;
}

/**
 * FNV-1a followed by murmur3's final mix. In FNV alone the last letters hardly affect the high
 * bits, and worker names differ only there.
 */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
