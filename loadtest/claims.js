// Agents that drain work queues below the limits: each claims a node, completes it, and stops when no
// node is free. Every node must be completed once, by the claim of one agent.
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import { figuresOf } from './k6-bounds.js';

const urls = __ENV.URLS.split(',');
const tokens = __ENV.TOKENS.split(',');
/** For each user. */
const AGENTS = 4;
const NODES = 40;
/** Claims and completions of one agent. */
const MOST_TURNS = 2 * NODES;

export const options = {
  scenarios: {
    agents: {
      executor: 'per-vu-iterations',
      exec: 'drain',
      vus: AGENTS * tokens.length,
      iterations: 1,
      maxDuration: '2m',
    },
  },
  thresholds: { done: [`count==${NODES * tokens.length}`], limited: ['count==0'], broken: ['count==0'] },
};

const done = new Counter('done');
const limited = new Counter('limited');
const broken = new Counter('broken');
const claimMs = new Trend('claim_ms', true);

function headersOf(token) {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
}

/** Gives each user a queue. */
export function setup() {
  const operations = Array.from({ length: NODES }, (_, index) => ({
    event: 'node:add',
    payload: { title: `task ${index}`, priority: index % 7 },
  }));
  for (const token of tokens) {
    const answer = http.post(`${urls[0]}/api/batch`, JSON.stringify({ operations }), { headers: headersOf(token) });
    if (answer.status !== 200) throw new Error(`no queue could be made: ${answer.body}`);
  }
}

export function drain() {
  const agent = exec.vu.idInTest;
  const base = `${urls[agent % urls.length]}/api/node`;
  const parameters = { headers: headersOf(tokens[agent % tokens.length]) };
  limited.add(0);
  broken.add(0);
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const claim = http.post(`${base}/claim`, '{}', parameters);
    claimMs.add(claim.timings.duration);
    if (claim.status !== 200) {
      // Other agents took every node that the claim tried.
      if (claim.status !== 503 || claim.json('details.outcome') !== 'not_done') count(claim.status);
      continue;
    }
    const { node, claimId } = claim.json();
    if (node === null) return;
    const completion = JSON.stringify({ id: node.id, claim: claimId, status: 3 });
    count(http.put(base, completion, parameters).status);
  }
}

function count(status) {
  const counter = status === 200 ? done : status === 429 ? limited : broken;
  counter.add(1);
}

export function handleSummary(data) {
  return figuresOf(data);
}
