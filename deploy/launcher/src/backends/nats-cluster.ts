// The part of a NATS configuration that joins three servers on loopback to one cluster.
import { LOOPBACK } from '../processes/ports.ts';

/** JetStream decides by majority: two servers tolerate no loss, and four no more than three do. */
export const NATS_SERVERS = 3;

export interface NatsMember {
  /** The index of this server, from 0. */
  readonly index: number;
  /** The ports on which the servers listen for each other. */
  readonly routePorts: readonly number[];
  /**
   * The password between the servers. Without it any local program could join and read everything.
   */
  readonly password: string;
}

/** The server's name in the cluster. */
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
    // Services get all addresses from the launcher. Advertised ones would bypass a test's proxies.
    '  no_advertise: true',
    '}',
  ].join('\n');
}
