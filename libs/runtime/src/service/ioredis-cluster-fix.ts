// A connection to a Redis Cluster whose `connect` and `disconnect` always settle. BullMQ awaits
// both, and ioredis leaves them pending in two cases:
// - `connect`, if the slots are known but not all served, as with a dead master: ioredis retries
// and reports only to event listeners;
// - `disconnect`, if no server is connected, or a command connects to another one in the meantime.
import { Cluster, type ClusterNode } from 'ioredis';

type ClusterOptions = NonNullable<ConstructorParameters<typeof Cluster<'legacy'>>[1]>;

/**
 * Milliseconds after which a server that reported its slots, but not that all are served, is
 * abandoned.
 */
const READY_LIMIT_MS = 5_000;
/**
 * Milliseconds; longer than a hung connection's destruction and the start of the next attempt take.
 */
const END_LIMIT_MS = 5_000;

export class SettlingCluster extends Cluster {
  // No initializer: `connect` already runs in the constructor above.
  declare private ending: NodeJS.Timeout | undefined;

  constructor(servers: ClusterNode[], options: ClusterOptions) {
    super(servers, options);
    // BullMQ waits for its next job on a copy.
    const duplicate = (_: unknown, { redisOptions, ...others }: ClusterOptions = {}) =>
      new SettlingCluster(servers, {
        ...options,
        ...others,
        redisOptions: { ...options.redisOptions, ...redisOptions },
      });
    this.duplicate = duplicate as Cluster['duplicate'];
  }

  /** Rejects at the end of this attempt, even if another one follows. */
  override connect(): Promise<void> {
    clearTimeout(this.ending);
    let limit: NodeJS.Timeout | undefined;
    const giveUp = () => {
      this.emitError(`no server said within ${READY_LIMIT_MS} ms whether all slots of the cluster are served`);
      this.disconnect(true);
    };
    const begin = () => {
      limit = setTimeout(giveUp, READY_LIMIT_MS).unref();
    };
    let fail = () => {};
    const closed = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('the connection closed before the cluster was ready'));
    });
    this.once('connect', begin);
    this.once('close', fail);
    return Promise.race([super.connect(), closed]).finally(() => {
      clearTimeout(limit);
      this.off('connect', begin);
      this.off('close', fail);
    });
  }

  override disconnect(reconnect = false): void {
    super.disconnect(reconnect);
    clearTimeout(this.ending);
    this.ending = setTimeout(() => this.end(reconnect), END_LIMIT_MS).unref();
  }

  private end(reconnect: boolean): void {
    if (!['disconnecting', 'close'].includes(this.status)) return;
    this.emitError(`the connection to the cluster did not end within ${END_LIMIT_MS} ms`);
    if (this.nodes().length > 0) {
      // Servers added in the meantime.
      this.disconnect(reconnect);
      return;
    }
    // As after the loss of the last server: ioredis retries or ends queued commands.
    this.emit('close');
    if (reconnect || this.status === 'end') return;
    this.status = 'end';
    this.emit('end');
  }

  private emitError(problem: string): void {
    if (this.listenerCount('error') > 0) this.emit('error', new Error(problem));
  }
}
