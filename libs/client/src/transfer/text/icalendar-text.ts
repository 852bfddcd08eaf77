// Texts and lines of iCalendar (RFC 5545).

/** The most octets of a line without its end. */
const LINE_OCTETS = 75;
/** The characters at which some program ends a line of a file. */
const LINE_BREAK = /\r\n?|[\n\u0085\u2028\u2029]/g;
/** Control characters except the tab. */
const CONTROLS = /(?!\t)\p{Cc}/gu;

/** Whether a text has control characters that a calendar cannot hold. Line breaks are escaped. */
export function controlCharactersIn(text: string): boolean {
  return text.replaceAll(LINE_BREAK, '').search(CONTROLS) >= 0;
}

/**
 * The text as a property's value. Line breaks become escapes; other control characters are dropped.
 */
export function escapeText(text: string): string {
  return text
    .replaceAll(LINE_BREAK, '\n')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll(CONTROLS, '');
}

/** A time as iCalendar and Taskwarrior write it: 20260131T235900Z. */
export function compactTime(time: string): string {
  return `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Folds a line: each further piece begins with a space. Characters are not split. */
export function foldLine(line: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(line).length <= LINE_OCTETS) return line;
  const pieces: string[] = [];
  let [piece, octets] = ['', 0];
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (octets + size > LINE_OCTETS - (pieces.length === 0 ? 0 : 1)) {
      pieces.push(piece);
      [piece, octets] = ['', 0];
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join('\r\n ');
}
