// The limit of new connections: exceeds it from one address, using all gateways in turn.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { exactly, figuresOf } from './k6-bounds.js';
import { dial } from './k6-socket-io.js';

const urls = __ENV.URLS.split(',');
const [points, sent] = [Number(__ENV.POINTS), Number(__ENV.SENT)];

export const options = {
  scenarios: {
    connections: { executor: 'per-vu-iterations', exec: 'connect', vus: sent, iterations: 1, maxDuration: '1m' },
  },
  thresholds: { admitted: exactly(points), limited: exactly(sent - points), broken: ['count==0'] },
};

const admitted = new Counter('admitted');
const limited = new Counter('limited');
const broken = new Counter('broken');

export function connect() {
  broken.add(0);
  dial(urls[exec.scenario.iterationInTest % urls.length], {
    token: __ENV.TOKEN,
    address: __ENV.ADDRESS,
    on: {
      connected(connection) {
        admitted.add(1);
        connection.close();
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
