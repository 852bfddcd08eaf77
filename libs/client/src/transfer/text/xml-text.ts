// Texts in XML. Rule: IO2.

/** Characters that XML 1.0 cannot hold. */
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Whether XML can hold all characters of a text. */
export function isWritableInXml(text: string): boolean {
  return text.search(UNWRITABLE) < 0;
}

/** The text as the content of an element, without characters that XML cannot hold. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(UNWRITABLE, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
