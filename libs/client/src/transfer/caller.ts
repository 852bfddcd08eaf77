// The connection that imports and exports call the service with.
import type { Calls, EventName } from '../calls.ts';
import type { CallOptions } from '../connect.ts';

/** Makes calls, over a socket or over REST. */
export interface Caller {
  call<E extends EventName>(event: E, payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
}
