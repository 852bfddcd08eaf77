// A NATS server for one test file, with one connection and its log.
import { startNats, type TestNats } from '@taskgraph/testkit/stack/nats';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Bus, connectBus } from '../../nats/connect.ts';

interface OwnNats {
  /** The connection; available only during tests. */
  readonly bus: Bus;
  /** Messages of the errors logged during the test. */
  readonly errors: readonly string[];
}

/** Runs the server during the tests of the file. */
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
