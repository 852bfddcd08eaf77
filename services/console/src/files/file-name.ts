// The names of exported files, which each system accepts.

/** The longest name before its ending. */
const MOST_CHARACTERS = 80;
/** Windows gives these names to devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** The name of a file for a title, such as that of a scope; `other` without one. */
export function fileNameOf(title: string, ending: string, other: string): string {
  const plain = title
    .normalize('NFC')
    // Characters that no system forbids, and that do not change how the name reads.
    .replace(/[^\p{L}\p{M}\p{N} ._()-]/gu, ' ')
    .replace(/\s+/g, ' ');
  const short = [...plain].slice(0, MOST_CHARACTERS).join('');
  // Backtracks: the text is short.
  const name = short.replace(/^[ .]+|[ .]+$/g, '');
  return `${name === '' || DEVICES.test(name) ? other : name}.${ending}`;
}
