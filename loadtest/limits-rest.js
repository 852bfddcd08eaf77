// One limit over REST: exceeds it, using all gateways in turn. The service must accept exactly as
// many requests as the limit allows.
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';
import { exactly, figuresOf } from './k6-bounds.js';

const urls = __ENV.URLS.split(',');
const calls = JSON.parse(__ENV.CALLS);
const [points, sent] = [Number(__ENV.POINTS), Number(__ENV.SENT)];

export const options = {
  scenarios: {
    requests: { executor: 'shared-iterations', exec: 'request', vus: 10, iterations: sent, maxDuration: '3m' },
  },
  thresholds: { admitted: exactly(points), limited: exactly(sent - points), broken: ['count==0'] },
};

const admitted = new Counter('admitted');
const limited = new Counter('limited');
const broken = new Counter('broken');

export function request() {
  const turn = exec.scenario.iterationInTest;
  const [method, path] = calls[turn % calls.length];
  const body = method === 'GET' ? null : '{}';
  const authorization = __ENV.TOKEN ? { Authorization: `Bearer ${__ENV.TOKEN}` } : {};
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': __ENV.ADDRESS, ...authorization };
  const response = http.request(method, urls[turn % urls.length] + path, body, { headers });
  const { status, headers: told } = response;
  const isLimited = status === 429;
  (isLimited ? limited : admitted).add(1);
  const hasHeaders = ['Limit', 'Remaining', 'Reset'].every((name) => told[`Ratelimit-${name}`] !== undefined);
  const isSound = status > 0 && status < 500 && hasHeaders && isLimited === (told['Retry-After'] !== undefined);
  broken.add(isSound ? 0 : 1);
  if (!isSound)
    console.error(`${method} ${path}: ${status} ${response.error} ${JSON.stringify(told)} ${response.body}`);
}

export function handleSummary(data) {
  return figuresOf(data);
}
