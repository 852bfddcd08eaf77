// A cluster of three NATS servers, for tests that kill some of them.
import { NATS_SERVERS, natsClusterLines, natsServerName } from '@taskgraph/launcher/backends/nats-cluster';
import { freePorts } from '@taskgraph/launcher/processes/ports';
import { startServer, type TestServer } from './nats.ts';

export interface TestNatsCluster {
  /** The URLs of all servers, separated by commas. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly servers: readonly TestServer[];
  /** The server with this name in the cluster. */
  named(name: string): TestServer;
  remove(): Promise<void>;
}

/** Starts all servers. They find each other while the first clients connect. */
export async function startNatsCluster(): Promise<TestNatsCluster> {
  const [user, password] = ['test', 'test-password'];
  const routePorts = await freePorts(NATS_SERVERS);
  const servers = await Promise.all(
    routePorts.map((_, index) =>
      startServer(
        `authorization { user: ${user}, password: ${password} }\n${natsClusterLines({ index, routePorts, password: 'routes' })}`,
      ),
    ),
  );
  return {
    url: servers.map(({ url }) => url).join(','),
    user,
    password,
    servers,
    named(name) {
      const server = servers.find((_, index) => natsServerName(index) === name);
      if (server === undefined) throw new Error(`no server is called ${name}`);
      return server;
    },
    async remove() {
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}
