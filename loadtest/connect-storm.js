// A connection storm, as after an outage: many clients with different addresses connect at once,
// and the service must accept each.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { figuresOf } from './k6-bounds.js';
import { dial } from './k6-socket-io.js';

const urls = __ENV.URLS.split(',');
const tokens = __ENV.TOKENS.split(',');
const CONNECTIONS = 1_000;
const AT_ONCE = 200;
const STAY_MS = 2_000;

export const options = {
  scenarios: {
    storm: {
      executor: 'shared-iterations',
      exec: 'connect',
      vus: AT_ONCE,
      iterations: CONNECTIONS,
      maxDuration: '2m',
    },
  },
  thresholds: { done: [`count==${CONNECTIONS}`], limited: ['count==0'], broken: ['count==0'] },
};

const done = new Counter('done');
const limited = new Counter('limited');
const broken = new Counter('broken');

export function connect() {
  const turn = exec.scenario.iterationInTest;
  limited.add(0);
  broken.add(0);
  dial(urls[turn % urls.length], {
    token: tokens[turn % tokens.length],
    address: `198.18.${Math.floor(turn / 250)}.${turn % 250}`,
    on: {
      connected(connection) {
        done.add(1);
        setTimeout(connection.close, STAY_MS);
      },
      refused(message, connection) {
        (message === 'rate_limited' ? limited : broken).add(1);
        connection.close();
      },
      broken: () => broken.add(1),
    },
  });
}

export function handleSummary(data) {
  return figuresOf(data);
}
