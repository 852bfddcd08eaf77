// One limit over sockets: one user exceeds it over a socket to each gateway. The service must
// accept exactly as many calls as the limit allows.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { exactly, figuresOf } from './k6-bounds.js';
import { dial } from './k6-socket-io.js';

const urls = __ENV.URLS.split(',');
const [points, sent] = [Number(__ENV.POINTS), Number(__ENV.SENT)];
/** The gateway refuses this invalid call, but counts it like any other. */
const payload = { nothing: true, ...(__ENV.AFTER ? { after: __ENV.AFTER } : {}) };
const AT_ONCE = 20;
/** Time for the event that follows the last ack. */
const LAST_EVENT_MS = 300;

export const options = {
  scenarios: {
    calls: { executor: 'per-vu-iterations', exec: 'callAll', vus: urls.length, iterations: 1, maxDuration: '3m' },
  },
  thresholds: {
    admitted: exactly(points),
    limited: exactly(sent - points),
    // graph:get answers with the ack alone.
    told: exactly(__ENV.EVENT === 'graph:get' ? 0 : sent - points),
    broken: ['count==0'],
  },
};

const admitted = new Counter('admitted');
const limited = new Counter('limited');
const told = new Counter('told');
const broken = new Counter('broken');

export function callAll() {
  const index = exec.vu.idInTest - 1;
  const share = Math.floor(sent / urls.length) + (index < sent % urls.length ? 1 : 0);
  told.add(0);
  broken.add(0);
  let [begun, answered] = [0, 0];
  const next = (connection) => {
    if (begun === share) return;
    begun++;
    connection.call(__ENV.EVENT, payload, ({ error }) => {
      (error === 'rate_limited' ? limited : admitted).add(1);
      answered++;
      if (answered === share) setTimeout(connection.close, LAST_EVENT_MS);
      else next(connection);
    });
  };
  dial(urls[index], {
    token: __ENV.TOKEN,
    address: __ENV.ADDRESS,
    on: {
      connected(connection) {
        for (let lane = 0; lane < AT_ONCE; lane++) next(connection);
      },
      refused: () => broken.add(1),
      broken: () => broken.add(1),
      event: (event) => told.add(event === 'rate_limited' ? 1 : 0),
    },
  });
}

export function handleSummary(data) {
  return figuresOf(data);
}
