// A registry of OCI artifacts on this machine, which stores them in memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { goTool } from '@taskgraph/helm-check/tools';

export interface OciRegistry {
  /** Host and port, such as `localhost:40123`. It speaks HTTP without TLS. */
  readonly host: string;
  stop(): Promise<void>;
}

/** Throws if the registry ends before it listens. */
export async function startRegistry(): Promise<OciRegistry> {
  const child = spawn(await goTool('registry'), ['-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const port = new Promise<string>((resolve) => {
    createInterface(child.stderr).on('line', (line) => {
      const [, number] = /serving on port (\d+)$/.exec(line) ?? [];
      if (number !== undefined) resolve(number);
    });
  });
  const ended = exited.then(([code]) => Promise.reject(new Error(`the registry ended with ${code}`)));
  const host = `localhost:${await Promise.race([port, ended])}`;
  // After this it ends on request.
  ended.catch(() => undefined);
  return {
    host,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
