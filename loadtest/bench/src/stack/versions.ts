// The versions of the programs in a stack, as the running processes report them.
import { type Address, exchange } from '@taskgraph/launcher/backends/probe';
import type { Stack } from '@taskgraph/launcher/stack';
import { type DatabaseAccess, withDirectWrites } from '../direct-writes.ts';

/** By role: services, clients and backends. */
export type Versions = Readonly<Record<string, string>>;

const SERVICE_VERSION = /^nodejs_version_info\{[^}]*version="v?([^"]+)"/m;

/** The version of Node in the text of /metrics. */
export function nodeVersionOf(text: string): string {
  const version = SERVICE_VERSION.exec(text)?.[1];
  if (version === undefined) throw new Error('a service does not report the version of its Node');
  return version;
}

/** One line for people. */
export function describeVersions(versions: Versions): string {
  return Object.entries(versions)
    .map(([role, version]) => `${role} ${version}`)
    .join(', ');
}

/** `admin` has the URLs of the admin ports, by service name. */
export async function readVersions(
  { environment }: Pick<Stack, 'environment'>,
  admin: Readonly<Record<string, string>>,
  access: DatabaseAccess,
): Promise<Versions> {
  const services: Record<string, string> = {};
  for (const [name, url] of Object.entries(admin)) {
    const text = await (await fetch(`${url}/metrics`)).text();
    services[name.slice(0, name.lastIndexOf('-'))] = `Node ${nodeVersionOf(text)}`;
  }
  return {
    ...services,
    clients: `Node ${process.versions.node}`,
    ...(await readDatabase(access)),
    nats: await readNats(environment.NATS_URL ?? ''),
    redis: await readRedis(environment.REDIS_URL ?? ''),
  };
}

const NEO4J = 'CALL dbms.components() YIELD versions RETURN versions[0] AS version';
const JAVA =
  "CALL dbms.queryJmx('java.lang:type=Runtime') YIELD attributes RETURN attributes.VmVersion.value AS version";

async function readDatabase(access: DatabaseAccess): Promise<Versions> {
  return withDirectWrites(access, async (runStatement) => {
    const versionOf = async (statement: string) => String((await runStatement(statement, {}))[0]?.version);
    return { neo4j: `${await versionOf(NEO4J)} on Java ${await versionOf(JAVA)}` };
  });
}

/** NATS greets with a line of JSON. */
async function readNats(url: string): Promise<string> {
  const greeting = await exchange(addressOf(url), '', (answer) => answer.includes('\r\n'));
  return (JSON.parse(greeting.slice('INFO '.length, greeting.indexOf('\r\n'))) as { version: string }).version;
}

async function readRedis(url: string): Promise<string> {
  const version = /redis_version:(\S+)\r\n/;
  const lines = `AUTH ${new URL(url).password}\r\nINFO server\r\n`;
  return version.exec(await exchange(addressOf(url), lines, (answer) => version.test(answer)))?.[1] ?? '';
}

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
