// A connection to a Redis Cluster whose `connect` and `disconnect` come to an end each time. BullMQ waits for both, and ioredis forgets them:
// - `connect` where the slots are known, but not all are served, as while a master is dead: it tries again, and tells only those who listen to it;
// - `disconnect` where no server is connected, or a command that moves connects to another one meanwhile.
import { Cluster, type ClusterNode } from 'ioredis';

type ClusterOptions = NonNullable<ConstructorParameters<typeof Cluster<'legacy'>>[1]>;

/** A server that told of the slots, but does not say within this time whether all are served, is given up; milliseconds. */
const READY_LIMIT_MS = 5_000;
/** Longer than a hanging server's connection takes to be destroyed and the next try takes to begin; milliseconds. */
const END_LIMIT_MS = 5_000;

export class SteadyCluster extends Cluster {
  // Without a value here: `connect` runs in the constructor above.
  declare private ending: NodeJS.Timeout | undefined;

  constructor(servers: ClusterNode[], options: ClusterOptions) {
    super(servers, options);
    // BullMQ waits for its next job over a copy.
    const duplicate = (_: unknown, { redisOptions, ...others }: ClusterOptions = {}) =>
      new SteadyCluster(servers, {
        ...{ ...options, ...others },
        redisOptions: { ...options.redisOptions, ...redisOptions },
      });
    this.duplicate = duplicate as Cluster['duplicate'];
  }

  /** Rejects when this try ends, even if the next one begins by itself. */
  override connect(): Promise<void> {
    clearTimeout(this.ending);
    let limit: NodeJS.Timeout | undefined;
    const giveUp = () => {
      this.tell(`no server said within ${READY_LIMIT_MS} ms whether all slots of the cluster are served`);
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
    this.tell(`the connection to the cluster did not end within ${END_LIMIT_MS} ms`);
    if (this.nodes().length > 0) {
      // Servers that were added meanwhile.
      this.disconnect(reconnect);
      return;
    }
    // As when the last server has gone: ioredis tries again, or ends what is queued.
    this.emit('close');
    if (reconnect || this.status === 'end') return;
    this.status = 'end';
    this.emit('end');
  }

  private tell(problem: string): void {
    if (this.listenerCount('error') > 0) this.emit('error', new Error(problem));
  }
}
