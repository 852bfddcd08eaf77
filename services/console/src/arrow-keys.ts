// Arrow keys where texts run from right to left. Rule: CON37.
import { isRightToLeft } from './language.ts';

const OPPOSITE: Readonly<Record<string, string>> = { Left: 'Right', Right: 'Left', '←': '→', '→': '←' };

/** The name or the sign of keys, as if lines ran from left to right: `ArrowRight` leads to their end. */
export function alongLine(keys: string, isReversed = isRightToLeft): string {
  return isReversed ? keys.replace(/Left|Right|←|→/g, (side) => OPPOSITE[side] ?? side) : keys;
}
