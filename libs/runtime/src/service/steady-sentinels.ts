// The way to the server that Sentinels name, which a fail-over does not end for good. The connector of ioredis listens for fail-overs over the
// connections of the time before: one that is told while it asks anew who the master is ends the asking, and the client takes that for the end.
import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

interface Listening {
  failoverDetector: { readonly isDisconnected: boolean } | null;
}

export class SteadySentinels extends SentinelConnector {
  private isTold = false;

  /** `options` are those of the client that connects. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override disconnect(): void {
    const listening = this as unknown as Listening;
    // Only the detector of fail-overs marks itself before it comes here; anybody else wants an end.
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
