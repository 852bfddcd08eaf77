// A connector to the master behind Sentinels that survives fail-overs. The connector of ioredis
// still listens for fail-overs on its previous connections. A report during a new query for the
// master ends the query, and the client takes that for a final end.
import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

interface FailoverListener {
  failoverDetector: { readonly isDisconnected: boolean } | null;
}

export class ReconnectingSentinels extends SentinelConnector {
  private isFailover = false;

  /** `options` are the connecting client's. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override disconnect(): void {
    const listening = this as unknown as FailoverListener;
    // Only the fail-over detector marks itself before this call; any other caller wants to
    // disconnect.
    this.isFailover = listening.failoverDetector?.isDisconnected === true;
    super.disconnect();
    if (this.isFailover) listening.failoverDetector = null;
  }

  override async connect(
    ...parameters: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    this.isFailover = false;
    try {
      return await super.connect(...parameters);
    } catch (error) {
      if (!this.isFailover) throw error;
      return this.connect(...parameters);
    }
  }
}
