// The colours of the picture, from the custom properties of the page.
import type { Theme } from './painter.ts';

const STATUSES = ['--available', '--progress', '--blocked', '--completed'];

export function themeOf(element: Element): Theme {
  // A canvas does not know the colours of the system by their names, so an element looks them up.
  const probe = element.appendChild(document.createElement('span'));
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    ground: colour('--ground'),
    text: colour('--text'),
    dim: colour('--dim'),
    border: colour('--border'),
    hairline: colour('--hairline'),
    chosen: colour('--chosen'),
    statuses: STATUSES.map(colour),
  };
  probe.remove();
  return theme;
}

/** Calls the listener when the reader's preferences change the colours. */
export function onThemeChange(changed: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener('change', changed);
  const choice = new MutationObserver(changed);
  choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    choice.disconnect();
    for (const query of queries) query.removeEventListener('change', changed);
  };
}
