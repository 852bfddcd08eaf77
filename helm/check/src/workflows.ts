// Lints the workflows of GitHub Actions with actionlint.
import { readdirSync } from 'node:fs';
import { run } from './program.ts';
import { repositoryPath } from './repository.ts';

/** Throws with the findings. Returns the number of workflows. */
export async function checkWorkflows(actionlint: string): Promise<string> {
  const folder = repositoryPath('.github', 'workflows');
  const files = readdirSync(folder).sort();
  // Linters of scripts are used only if they are on this machine, which would make the result vary.
  const { exitCode, stdout, stderr } = await run(actionlint, ['-shellcheck=', '-pyflakes=', ...files], { cwd: folder });
  if (exitCode !== 0) throw new Error(`actionlint finds:\n${stdout}${stderr}`);
  return `actionlint finds nothing in ${files.length}`;
}
