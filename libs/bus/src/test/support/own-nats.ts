// A NATS server of a test file's own, with one connection and what it logs as errors.
import { startNats, type TestNats } from '@taskgraph/testkit/stack/nats';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Bus, connectBus } from '../../nats/connect.ts';

interface OwnNats {
  /** The connection, for tests and not before them. */
  readonly bus: Bus;
  /** The messages of the errors that were logged during the test. */
  readonly errors: readonly string[];
}

/** Has the server run while the tests of the file do. */
export function ownNats(): OwnNats {
  const errors: string[] = [];
  const quiet = () => undefined;
  const error = (_: object, message: string) => void errors.push(message);
  let [nats, bus] = [] as unknown as [TestNats, Bus];
  beforeAll(async () => {
    nats = await startNats();
    bus = await connectBus({ ...nats, name: 'test', log: { debug: quiet, info: quiet, warn: quiet, error } });
  });
  beforeEach(() => void errors.splice(0));
  afterAll(async () => {
    await bus.close();
    await nats.remove();
  });
  return {
    get bus() {
      return bus;
    },
    errors,
  };
}
