// Whether a password is one that everybody tries first. The list is that of zxcvbn: some 49,000 passwords from leaks. Rule: AUTH4.
import common from '@zxcvbn-ts/language-common';

/** Of what a shorter text is repeated, the whole is no better than the text. */
const SHORT_REPEATED = 5;
/** A name or a word of the list with no more than so many other characters around it is as easily guessed. */
const FEW_OTHERS = 6;

const listed: ReadonlySet<string> = new Set(common.dictionary.passwords);

/**
 * Whether a password stands in the list, but for its case and the digits and signs that people put around it; repeats something short;
 * or is little more than one of these names of its user, such as their e-mail. It takes a time in proportion to the password's length.
 */
export function isCommonPassword(password: string, names: readonly string[] = []): boolean {
  const text = password.toLowerCase();
  if (listed.has(text) || isListedWord(text) || isRepetition(text)) return true;
  return names.some((name) => name.length > 0 && isLittleMore(text, name.toLowerCase()));
}

/** Whether the list has what stands between the first letter and the last one. */
function isListedWord(text: string): boolean {
  const isLetter = (character: string) => character >= 'a' && character <= 'z';
  const characters = [...text];
  const word = characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1);
  return characters.length - word.length <= FEW_OTHERS && listed.has(word.join(''));
}

function isRepetition(text: string): boolean {
  for (let length = 1; length <= SHORT_REPEATED; length++) {
    if (
      text ===
      text
        .slice(0, length)
        .repeat(Math.ceil(text.length / length))
        .slice(0, text.length)
    )
      return true;
  }
  return false;
}

function isLittleMore(text: string, name: string): boolean {
  return text.length <= name.length + FEW_OTHERS && text.includes(name);
}
