// Selects the stack for an administration command.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The given environment, or that of the running stack from the launcher's file in DATA_DIR. */
export function stackEnvironment(): NodeJS.ProcessEnv {
  if (process.env.NEO4J_URL) return process.env;
  const file = join(process.env.DATA_DIR ?? '.data', 'stack.json');
  if (!existsSync(file))
    throw new Error(`No stack runs in ${process.env.DATA_DIR ?? '.data'}: start one with npm start.`);
  const stack = JSON.parse(readFileSync(file, 'utf8')) as { environment: NodeJS.ProcessEnv };
  return { ...stack.environment, ...process.env };
}
