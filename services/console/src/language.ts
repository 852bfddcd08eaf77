// The language of the page: the reader's choice, else the first language of the browser that the console
// has, else English. This module awaits the texts, and modules with texts run after it, so
// none of them has texts of another language. Rules: CON36, CON37.
import type { arabic } from './messages/ar.ts';
import { storedPreference } from './stored-preference.ts';

type Translations = typeof arabic;

interface Browser {
  /** Tests of single modules have no page. */
  readonly document?: { readonly documentElement: object };
  readonly navigator: { readonly languages: readonly string[] };
}

const { document, navigator } = globalThis as unknown as Browser;

/** `preferred`: tags such as `ar-EG`, the best first. */
export function languageOf(choice: string | null, preferred: readonly string[]): string {
  const languages = [choice, ...preferred].map((tag) => tag?.split('-')[0]);
  return languages.find((language) => language === 'ar' || language === 'en') ?? 'en';
}

async function loadArabic(page: NonNullable<Browser['document']>): Promise<Translations | undefined> {
  try {
    const { arabic } = await import('./messages/ar.ts');
    Object.assign(page.documentElement, { lang: 'ar', dir: 'rtl' });
    return arabic;
  } catch {
    // A page in English is of more use than none.
    return undefined;
  }
}

const translations =
  document !== undefined && languageOf(storedPreference('language'), navigator.languages) === 'ar'
    ? await loadArabic(document)
    : undefined;

export const isRightToLeft = translations !== undefined;

/** Texts in the language of the page. `english` is there at once; the others are one file for each language. */
export function translated<N extends keyof Translations>(name: N, english: Translations[N]): Translations[N] {
  return translations?.[name] ?? english;
}
