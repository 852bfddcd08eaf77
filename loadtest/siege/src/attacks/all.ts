// All attacks by name, and the former names that `--only` still accepts.
import { anonymousFlood } from './anonymous-flood.ts';
import type { Attack } from './attack.ts';
import { disconnectAbuse } from './disconnect-abuse.ts';
import { floods, silence } from './floods.ts';
import { hangingHooks } from './hanging-hooks.ts';
import { binaries, toggles, undos } from './heavy-work.ts';
import { largeCommands } from './large-command.ts';
import { pages } from './pages.ts';
import { slow } from './slow.ts';
import { slowReader } from './slow-reader.ts';
import { texts } from './texts.ts';
import { unwantedGrants } from './unwanted-grants.ts';

export const ATTACKS: Readonly<Record<string, Attack>> = {
  texts,
  'disconnect-abuse': disconnectAbuse,
  'slow-reader': slowReader,
  floods,
  silence,
  slow,
  'large-command': largeCommands,
  pages,
  'anonymous-flood': anonymousFlood,
  'unwanted-grants': unwantedGrants,
  'hanging-hooks': hangingHooks,
  undos,
  toggles,
  binaries,
};

const FORMER_NAMES: Readonly<Record<string, string>> = {
  'disconnect-abuse': 'farewells',
  'slow-reader': 'deaf',
  'large-command': 'giants',
  'anonymous-flood': 'guesses',
  'unwanted-grants': 'gifts',
};

/** The chosen attacks, by their present or former names; all attacks if none is chosen. */
export function chooseAttacks(chosen: readonly string[]): string[] {
  const isChosen = (name: string) => chosen.includes(name) || chosen.includes(FORMER_NAMES[name] ?? name);
  return Object.keys(ATTACKS).filter((name) => chosen.length === 0 || isChosen(name));
}

/** The printed name, with the former one if there is one: `slow-reader (deaf)`. */
export function labelOf(name: string): string {
  const former = FORMER_NAMES[name];
  return former === undefined ? name : `${name} (${former})`;
}
