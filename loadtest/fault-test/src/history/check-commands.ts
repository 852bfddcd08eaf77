// Every acknowledged command is stored once, a refused command never, and one without an answer at
// most once. Rule: GEN8.
import type { Anomaly, Batch, Command, StoredData } from './history.ts';

/** Events that write their command's key as a title, so that the batch contains the key. */
const TITLED = new Set(['node:add', 'node:update']);

/** The command by which the jobs end claims. */
export const CLAIM_EXPIRY = 'node:claim:expire';

export function checkCommands(commands: readonly Command[], { batches }: StoredData): Anomaly[] {
  const byKey = group(batches, ({ key }) => [key]);
  const byTitle = group(batches, titlesOf);
  const byId = group(batches, ({ id }) => [id]);
  const found = commands.flatMap((command) => {
    // A title identifies the command even if its key was not stored.
    const stored = new Set([...(byKey.get(keyOf(command)) ?? []), ...(byTitle.get(command.key) ?? [])]);
    return judge(command, [...stored], byId);
  });
  const asked = new Set(commands.map(keyOf));
  // The jobs' commands have no client; `check-claims.ts` judges them.
  const unasked = batches.filter(({ key, event }) => !asked.has(key) && event !== CLAIM_EXPIRY);
  return [...found, ...unasked.map((batch) => anomaly('a batch belongs to no command', batch.key, [batch]))];
}

/** The key under which the batch of a command is stored. */
export function keyOf({ user, key }: Pick<Command, 'user' | 'key'>): string {
  return `${user}:${key}`;
}

function titlesOf({ event, changes }: Batch): string[] {
  return TITLED.has(event) ? changes.map(({ after }) => after?.title).filter((title) => typeof title === 'string') : [];
}

function judge(command: Command, stored: readonly Batch[], byId: ReadonlyMap<string, readonly Batch[]>): Anomaly[] {
  const { outcome } = command;
  const times = `${command.key} is stored ${stored.length} times`;
  if (stored.length > 1) return [anomaly('a command was executed twice', times, [command, ...stored])];
  if (outcome.kind === 'unknown') return [];
  if (outcome.kind === 'refused' || outcome.batch === null) {
    // No user's token ends.
    const isShutOut = outcome.kind === 'refused' && outcome.code.startsWith('unauthorized');
    const found = isShutOut ? [anomaly('a valid token was refused', outcome.code, [command])] : [];
    if (stored.length === 0) return found;
    const said = outcome.kind === 'refused' ? `refused as ${outcome.code}` : 'answered without a batch';
    return [
      ...found,
      anomaly('a command was executed but not acknowledged as executed', `${times}, and was ${said}`, [
        command,
        ...stored,
      ]),
    ];
  }
  if (stored.length === 0) return [anomaly('an acknowledged command is lost', times, [command])];
  const named = byId.get(outcome.batch) ?? [];
  if (named.length === 1 && named[0] === stored[0]) return [];
  return [anomaly('an answer names another batch', `${outcome.batch}, not ${stored[0]?.id}`, [command, ...stored])];
}

function anomaly(kind: string, what: string, about: readonly unknown[]): Anomaly {
  return { kind, what, about };
}

function group<T>(all: readonly T[], keysOf: (one: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    for (const key of keysOf(one)) {
      const before = groups.get(key);
      if (before === undefined) groups.set(key, [one]);
      else before.push(one);
    }
  }
  return groups;
}
