// A title within other text, such as a sentence or a line of the picture. Rule: CON6.

/** Letters that are written from right to left, and signs that change the direction of a text. */
const REVERSING =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\u200f\u202a-\u202e\u2066-\u2069]/u;
const DIRECTION_SIGNS = /[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A title as a part of a sentence. One that is written from right to left is isolated, so that it
 * does not reorder the words around it.
 */
export function isolated(title: string): string {
  return REVERSING.test(title) ? `\u2068${title.replace(DIRECTION_SIGNS, '')}\u2069` : title;
}

/** An English text within a text in another language: it runs from left to right. */
export function markEnglish(text: string): string {
  return `\u2066${text.replace(DIRECTION_SIGNS, '')}\u2069`;
}

/** The parts of a text. Each second one is English in a text in another language. */
export function splitMarked(text: string): string[] {
  const [before = '', ...others] = text.split('\u2066');
  const parts = others.map((part) => part.split('\u2069'));
  return [before, ...parts.flatMap(([inside = '', ...after]) => [inside, after.join('\u2069')])];
}
