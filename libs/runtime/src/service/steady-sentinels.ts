// A connector to the master behind Sentinels that survives fail-overs. The connector of ioredis
// still listens for fail-overs on its previous connections. A report during a new query for the
// master ends the query, and the client takes that for a final end.
import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

interface Listening {
  failoverDetector: { readonly isDisconnected: boolean } | null;
}

export class SteadySentinels extends SentinelConnector {
  private isTold = false;

  /** `options` are the connecting client's. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override disconnect(): void {
    const listening = this as unknown as Listening;
    // Only the fail-over detector marks itself before this call; any other caller wants to
    // disconnect.
    this.isTold = listening.failoverDetector?.isDisconnected === true;
    super.disconnect();
    if (this.isTold) listening.failoverDetector = null;
  }

  override async connect(...tell: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    this.isTold = false;
    try {
      return await super.connect(...tell);
    } catch (error) {
      if (!this.isTold) throw error;
      return this.connect(...tell);
    }
  }
}
