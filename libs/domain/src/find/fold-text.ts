// The form in which the words of people are compared: in search, references to nodes, completion,
// tags, and names of columns and tasks in files. Rule: IO7.
//
// Ids, e-mails, keys and tokens are not words: do not fold them.

/**
 * Scripts whose marks are dropped. In Latin, Greek and Cyrillic they are accents; in Hebrew, Arabic
 * and Syriac they are points that most texts omit. Marks of other scripts are letters: vowels in
 * Devanagari and Thai, or the voiced sign that distinguishes two kana.
 */
const MARKED =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}])([\p{Mn}\p{Me}]+)/gu;
/**
 * These letters with a breve are letters of their own, such as й, and have their own key.
 */
const BREVE = '\u0306';
const WITH_BREVE = /[иу]/;

/**
 * Letters that NFKD does not decompose, although collation treats them as one or two plain letters.
 */
const PLAIN: ReadonlyMap<string, string> = new Map(
  Object.entries({ æ: 'ae', ð: 'd', ø: 'o', đ: 'd', ħ: 'h', ł: 'l', œ: 'oe', ς: 'σ' }),
);
const NOT_PLAIN = /[æðøđħłœς]/gu;

/**
 * Invisible characters, such as soft hyphens, joiners and variation selectors, and the stroke that
 * only widens Arabic words.
 */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;

/**
 * The form of a text for comparisons: NFKC with full case folding, without diacritics and invisible
 * characters. Two texts are equal if their folded forms are, and one contains the other if its
 * folded form does. Do not show it to people.
 */
export function foldText(text: string): string {
  if (!/\P{ASCII}/u.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replaceAll(IGNORED, '');
  // Upper case expands ß, the iota below Greek vowels and ligatures, and turns ı into I. ẞ becomes
  // ß first.
  const cased = plain.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD');
  return (
    cased
      .replaceAll(MARKED, (_, letter: string, marks: string) =>
        WITH_BREVE.test(letter) && marks.includes(BREVE) ? letter + BREVE : letter,
      )
      .replaceAll(NOT_PLAIN, (letter) => PLAIN.get(letter) ?? letter)
      // Compose Hangul again: a syllable must not match the beginning of a longer one.
      .normalize('NFC')
  );
}
