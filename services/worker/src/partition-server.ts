// Serves the commands and reads of the partitions that this worker leases.
import { setMaxListeners } from 'node:events';
import type { Bus } from '@taskgraph/bus/nats/connect';
import type { LeaseCheck } from '@taskgraph/bus/partitions/lease';
import { type RunningSubscription, type ServeOptions, serveCommands, serveReads } from '@taskgraph/bus/requests/serve';
import type { createCommandHandler } from './commit/command-handler.ts';

interface PartitionHandlers {
  readonly command: ReturnType<typeof createCommandHandler>;
  readonly read: Parameters<typeof serveReads>[1];
}

export interface PartitionServer {
  /** Starts to serve a partition. `take` is called for each command that arrives. */
  start(partition: number, take: () => LeaseCheck): void;
  /** Stops to take commands of a partition. Resolves when those in progress are answered. */
  stop(partition: number): Promise<void>;
  /** Resolves when the reads of stopped partitions are answered. */
  readsEnded(): Promise<void>;
}

interface ServedPartition {
  readonly commands: RunningSubscription;
  readonly reads: RunningSubscription;
  readonly stopping: AbortController;
}

export function createPartitionServer(
  bus: Bus,
  { command, read }: PartitionHandlers,
  options: ServeOptions,
): PartitionServer {
  const partitions = new Map<number, ServedPartition>();
  const endingReads = new Set<Promise<void>>();
  return {
    start(partition, take) {
      const stopping = new AbortController();
      // Each claim that waits for its queue listens to it.
      setMaxListeners(0, stopping.signal);
      const handle: Parameters<typeof serveCommands>[2] = (message, from) =>
        command(message, from, take(), stopping.signal);
      partitions.set(partition, {
        stopping,
        commands: serveCommands(bus, partition, handle, options),
        reads: serveReads(bus, read, { ...options, partition }),
      });
    },
    async stop(partition) {
      const served = partitions.get(partition);
      partitions.delete(partition);
      if (served === undefined) return;
      // Reads need no lease: a long page must not delay the hand-over of the partition.
      const ending = served.reads.stop().finally(() => endingReads.delete(ending));
      endingReads.add(ending);
      // Claims that wait for their queue must not delay it either.
      served.stopping.abort();
      await served.commands.stop();
    },
    async readsEnded() {
      await Promise.all(endingReads);
    },
  };
}
