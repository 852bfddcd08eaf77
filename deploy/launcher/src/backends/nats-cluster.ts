// The part of a NATS server's configuration by which three on loopback are one cluster.
import { LOOPBACK } from '../processes/ports.ts';

/** JetStream decides by majority: two servers would stand still with the first that is lost, and four bear no more than three. */
export const NATS_SERVERS = 3;

export interface NatsMember {
  /** The place of this server among them, from 0. */
  readonly index: number;
  /** Where each of them listens for the others. */
  readonly routePorts: readonly number[];
  /** By which the others are let in: a server that is not one of them could read everything. */
  readonly password: string;
}

/** The name by which the cluster knows a server. */
export function natsServerName(index: number): string {
  return `taskgraph-${index + 1}`;
}

export function natsClusterLines({ index, routePorts, password }: NatsMember): string {
  const routes = routePorts.map((port) => `"nats-route://route:${password}@${LOOPBACK}:${port}"`);
  return [
    `server_name: "${natsServerName(index)}"`,
    'cluster {',
    '  name: "taskgraph"',
    `  listen: "${LOOPBACK}:${routePorts[index]}"`,
    `  authorization { user: route, password: ${JSON.stringify(password)} }`,
    `  routes: [${routes.join(', ')}]`,
    // Services are told of all of them; where something stands between, these would lead past it.
    '  no_advertise: true',
    '}',
  ].join('\n');
}
