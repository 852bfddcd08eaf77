// Recognizes common passwords by the list of zxcvbn: about 49,000 leaked passwords. Rule: AUTH4.
import common from '@zxcvbn-ts/language-common';

/** A repetition of a text up to this length is no stronger than the text. */
const SHORT_REPEATED = 5;
/** Maximum number of characters added to a listed word or a name; fewer add no strength. */
const FEW_OTHERS = 6;

const listed: ReadonlySet<string> = new Set(common.dictionary.passwords);

/**
 * Whether a password is in the list apart from case and surrounding digits and signs, repeats a
 * short text, or extends a name of its user, such as the e-mail, by a few characters. Takes time
 * linear in the password's length.
 */
export function isCommonPassword(password: string, names: readonly string[] = []): boolean {
  const text = password.toLowerCase();
  if (listed.has(text) || isListedWord(text) || isRepetition(text)) return true;
  return names.some((name) => name.length > 0 && isExtendedName(text, name.toLowerCase()));
}

/** Whether the list contains the text between the first and the last letter. */
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

function isExtendedName(text: string, name: string): boolean {
  return text.length <= name.length + FEW_OTHERS && text.includes(name);
}
