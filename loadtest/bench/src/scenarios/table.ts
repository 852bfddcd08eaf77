// All scenarios. docs/benchmark.md documents them.
import { atLeast, atMost } from '../report/result.ts';
import type { Scenario } from '../scenario.ts';
import { claims } from './claims/claims.ts';
import { commitToSocket } from './commit-to-socket.ts';
import { connectSockets } from './connect.ts';
import { consolePages } from './console/console.ts';
import { fanout } from './fanout.ts';
import { find } from './find.ts';
import { graphPage } from './graph-page.ts';
import { growth } from './growth.ts';
import { handOver } from './hand-over.ts';
import { idleSocket } from './idle-socket.ts';
import { importPlan } from './import.ts';
import { longPoll } from './long-poll.ts';
import { mutations } from './mutations.ts';
import { mutationsIdle } from './mutations-idle.ts';
import { noisyNeighbour } from './noisy-neighbour.ts';
import { overload } from './overload.ts';
import { plan } from './plan.ts';
import { firstLoad } from './reads/first-load.ts';
import { graphWalk } from './reads/graph-walk.ts';
import { reconnectStorm } from './reconnect-storm.ts';
import { requestToSocket } from './request-to-socket.ts';
import { restart } from './restart.ts';
import { hooksBranch } from './webhooks/hooks-branch.ts';
import { hooksSlow } from './webhooks/hooks-slow.ts';

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'mutations',
    measurement: mutations,
    isQuick: true,
    goals: [atLeast(2.8)],
    compares: 'commands a second, against the bare driver, each side with its best number of clients',
  },
  {
    name: 'mutations-idle',
    measurement: mutationsIdle,
    isQuick: true,
    goals: [atMost(1.3)],
    compares: 'the median response time of one client alone, against the bare driver',
  },
  {
    name: 'database-cost',
    measurement: mutations,
    isQuick: true,
    goals: [atLeast(5)],
    compares: "Neo4j's processor time per command: the bare driver at its best, divided by ours",
  },
  {
    name: 'service-cost',
    measurement: mutations,
    isQuick: true,
    goals: [atMost(0.28)],
    compares: "processor time of the service and its backends per command, against the bare driver's process and Neo4j",
  },
  {
    name: 'node-cost',
    measurement: mutations,
    isQuick: true,
    goals: [atMost(0.5)],
    compares: "processor time per command of gateway, workers and NATS, against the bare driver's process",
  },
  {
    name: 'graph-page',
    measurement: graphPage,
    isQuick: true,
    goals: [
      atMost(0.7, 'owner', 'cold'),
      atMost(0.2, 'owner', 'warm'),
      atMost(1, 'grantee', 'cold'),
      atMost(0.3, 'grantee', 'warm'),
    ],
    compares: 'pages of 1,000 as owner and as grantee, against the bare driver and JSON.stringify',
  },
  {
    name: 'page-bytes',
    measurement: graphPage,
    isQuick: true,
    goals: [atMost(1)],
    compares: 'the first page of 1,000 nodes on the wire, compressed, against a fixed bound of 100 KB',
  },
  {
    name: 'graph-walk',
    measurement: graphWalk,
    isQuick: false,
    goals: [atMost(0.8, 'cold'), atMost(0.3, 'warm')],
    compares: 'all pages of 100,000 nodes and their links, against the bare driver that streams them',
  },
  {
    name: 'first-load',
    measurement: firstLoad,
    isQuick: false,
    goals: [],
    compares:
      'the time until a new program has 5,000 and 20,000 tasks under the default rate limits, against the bare driver that streams them',
  },
  {
    name: 'fanout',
    measurement: fanout,
    isQuick: false,
    goals: [atMost(1.05, 'room-paced'), atMost(0.62, 'paced'), atMost(0.3, 'bursts')],
    compares: 'processor time per delivery to 1,000 sockets on two gateways, against plain Socket.IO on uWebSockets.js',
  },
  {
    name: 'connect',
    measurement: connectSockets,
    isQuick: false,
    goals: [atMost(1.8)],
    compares: 'the time to open 4,000 authenticated sockets, against plain Socket.IO',
  },
  {
    name: 'request-to-socket',
    measurement: requestToSocket,
    isQuick: false,
    goals: [atMost(1.5, '100'), atMost(2, '1000')],
    compares:
      'the time from request to receipt by 100 and by 1,000 sockets at 20 updates a second, against plain Socket.IO from memory',
  },
  {
    name: 'commit-to-socket',
    measurement: commitToSocket,
    isQuick: false,
    goals: [],
    compares:
      'the time from the answer of an update to its receipt by the last of 100 watchers at 200 updates a second',
  },
  {
    name: 'idle-socket',
    measurement: idleSocket,
    isQuick: false,
    goals: [atMost(1.1)],
    compares: 'resident memory per idle socket with 5,000 of them, against plain Socket.IO',
  },
  {
    name: 'long-poll',
    measurement: longPoll,
    isQuick: false,
    goals: [],
    compares:
      'resident memory per waiting call and the time to wake it, against plain uWebSockets.js that keeps responses open',
  },
  {
    name: 'grantee-page',
    measurement: graphWalk,
    isQuick: false,
    goals: [atMost(3)],
    compares: "pages of links of the grantee of a branch of 100,000, against its owner's",
  },
  {
    name: 'plan',
    measurement: plan,
    isQuick: false,
    goals: [atMost(5)],
    compares: 'the plan of a branch of 20,000 nodes, against a page of 1,000',
  },
  {
    name: 'find',
    measurement: find,
    isQuick: false,
    goals: [atMost(1)],
    compares: 'searches among 20,000 nodes by conditions and by words, against the same questions in Cypher',
  },
  {
    name: 'node-get',
    measurement: find,
    isQuick: false,
    goals: [],
    compares: 'processor time of reads of one node by id, against the bare driver',
  },
  {
    name: 'console',
    measurement: consolePages,
    isQuick: false,
    goals: [atMost(1)],
    compares: 'times, processor time and memory of the web console with 5,000 and 20,000 tasks, against fixed bounds',
  },
  {
    name: 'import',
    measurement: importPlan,
    isQuick: false,
    goals: [atMost(0.45, 'best')],
    compares:
      'the import of a plan of 5,000 nodes and 4,900 links, against one command per node at the best concurrency',
  },
  {
    name: 'overload',
    measurement: overload,
    isQuick: false,
    goals: [atLeast(0.9)],
    compares: 'accepted commands at twice the capacity, against the peak rate',
  },
  {
    name: 'noisy-neighbour',
    measurement: noisyNeighbour,
    isQuick: false,
    goals: [atMost(2.5, 'flood'), atMost(3, 'move')],
    compares: 'the p99 of other users while one floods or moves a branch of 20,000 nodes, against undisturbed turns',
  },
  {
    name: 'claims',
    measurement: claims,
    isQuick: false,
    goals: [],
    compares: 'nodes a second that 64 agents claim from one queue, against updates that start named nodes',
  },
  {
    name: 'hooks-branch',
    measurement: hooksBranch,
    isQuick: false,
    goals: [],
    compares: 'the lag of up to 1,000 webhooks on a branch of 100 updates a second, against the promised second',
  },
  {
    name: 'hooks-slow',
    measurement: hooksSlow,
    isQuick: false,
    goals: [],
    compares: 'the lag of webhooks beside slow and silent receivers of other users, against the lag without them',
  },
  {
    name: 'hand-over',
    measurement: handOver,
    isQuick: false,
    goals: [],
    compares: 'the slowest command while a worker hands over its partitions or is killed, against undisturbed turns',
  },
  {
    name: 'restart',
    measurement: restart,
    isQuick: false,
    goals: [atMost(3)],
    compares: 'the p99 of 20 updates a second in the first minute after a restart of the database, against before it',
  },
  {
    name: 'reconnect-storm',
    measurement: reconnectStorm,
    isQuick: false,
    goals: [atMost(1, 'statements')],
    compares: "statements for 2,000 sockets that reconnect after a gateway's death, against their feeds",
  },
  {
    name: 'growth',
    measurement: growth,
    isQuick: false,
    goals: [atMost(1.2)],
    compares: 'the same calls in a large graph, against a small one',
  },
];
