// What a page in another language may not have: English words, and a width beyond the window.
import type { Page } from '@taskgraph/testkit/stack/browser';

/** The brand, the names of keys as keyboards have them, and the words of filters. */
const ALLOWED = /^(Taskgraph|Enter|Escape|Shift|Alt|Ctrl|Tab|Home|End|F|C|E|L|status|open|tag|web)$/;

/**
 * The Latin words that the reader sees or hears, in texts, labels and placeholders. Titles, names and keys
 * have elements of their own or are isolated in sentences, and are left out.
 */
export async function latinWordsOn(page: Page): Promise<string[]> {
  const texts = await page.evaluate<string[]>(`(() => {
    const own = '[dir="auto"], bdi, code, kbd, textarea, [lang="en"], [aria-hidden="true"]:not(.card-facts, .plan-labels)';
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      const parent = node.parentElement;
      if (parent.closest(own + ', script, noscript') === null && (parent.checkVisibility() || parent.matches('option'))) texts.push(node.data);
    }
    for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (element.closest(own) !== null) continue;
      for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
    }
    return texts;
  })()`);
  return texts
    .flatMap((text) => text.replace(/\u2068[^\u2069]*\u2069/g, '').match(/[A-Za-z]+/g) ?? [])
    .filter((word) => !ALLOWED.test(word));
}

/** By how many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}
