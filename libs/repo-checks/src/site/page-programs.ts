// The programs of a document: what a reader copies, and what tests run.

/** The blocks of code in this language below a heading of the second level. Throws if there is none. */
export function programsUnder(text: string, heading: string, language: string): string[] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const own = section.split('\n## ')[0] ?? '';
  const found = [...own.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language);
  if (found.length === 0) throw new Error(`there is no ${language} under "${heading}"`);
  return found.map(([, , code = '']) => code);
}
