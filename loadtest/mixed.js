// A constant mixed load below the limits: users who read and write over REST, and sockets that call
// once a second.
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import { figuresOf } from './k6-bounds.js';
import { dial } from './k6-socket-io.js';

const urls = __ENV.URLS.split(',');
const tokens = __ENV.TOKENS.split(',');
const DURATION_S = 30;
const REQUESTS_A_SECOND = 20;
const CALL_EVERY_MS = 1_000;

export const options = {
  scenarios: {
    rest: {
      executor: 'constant-arrival-rate',
      exec: 'request',
      rate: REQUESTS_A_SECOND,
      timeUnit: '1s',
      duration: `${DURATION_S}s`,
      preAllocatedVUs: 20,
      maxVUs: 40,
    },
    sockets: {
      executor: 'per-vu-iterations',
      exec: 'stay',
      vus: tokens.length,
      iterations: 1,
      maxDuration: `${DURATION_S + 30}s`,
    },
  },
  thresholds: { done: ['count>0'], limited: ['count==0'], broken: ['count==0'] },
};

const done = new Counter('done');
const limited = new Counter('limited');
const broken = new Counter('broken');
const socketCallMs = new Trend('socket_call_ms', true);

/** Of ten requests, five add a node, three read a page of the trash, and two read the graph. */
export function request() {
  const turn = exec.scenario.iterationInTest;
  const token = tokens[turn % tokens.length];
  const base = `${urls[turn % urls.length]}/api`;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const kind = Math.floor(turn / tokens.length) % 10;
  const title = `load ${turn}`;
  if (kind < 5) return judge(http.post(`${base}/node`, JSON.stringify({ title }), { headers }).status);
  return judge(http.get(`${base}/${kind < 8 ? 'trash' : 'graph'}`, { headers }).status);
}

function judge(status) {
  const counter = status === 200 ? done : status === 429 ? limited : broken;
  counter.add(1);
}

export function stay() {
  const index = exec.vu.idInInstance % tokens.length;
  const endsMs = Date.now() + DURATION_S * 1_000;
  limited.add(0);
  broken.add(0);
  dial(urls[index % urls.length], {
    token: tokens[index],
    address: `198.18.0.${index}`,
    on: {
      connected(connection) {
        const step = () => {
          if (Date.now() >= endsMs) return connection.close();
          const sentMs = Date.now();
          return connection.call('node:add', { title: 'load over a socket' }, ({ ok, error }) => {
            socketCallMs.add(Date.now() - sentMs);
            judge(ok ? 200 : error === 'rate_limited' ? 429 : 500);
            setTimeout(step, CALL_EVERY_MS);
          });
        };
        step();
      },
      refused: () => broken.add(1),
      broken: () => broken.add(1),
    },
  });
}

export function handleSummary(data) {
  return figuresOf(data);
}
