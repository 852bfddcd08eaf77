// All attacks by name, and the former names that `--only` still accepts.
import type { Attack } from './attack.ts';
import { deaf } from './deaf.ts';
import { farewells } from './farewells.ts';
import { floods, silence } from './floods.ts';
import { giants } from './giants.ts';
import { binaries, toggles, undos } from './heavy-work.ts';
import { pages } from './pages.ts';
import { slow } from './slow.ts';
import { gifts, guesses } from './strangers.ts';
import { texts } from './texts.ts';

export const ATTACKS: Readonly<Record<string, Attack>> = {
  texts,
  farewells,
  deaf,
  floods,
  silence,
  slow,
  giants,
  pages,
  guesses,
  gifts,
  undos,
  toggles,
  binaries,
};
