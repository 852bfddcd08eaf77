// What is wrong on a screen for readers who enlarge it, or choose its colours themselves: found by the
// boxes of texts and controls in the page.
import type { Page } from '@taskgraph/testkit/stack/browser';

/** Stops of the Tab key on one screen, at most. A list that is longer repeats what was seen. */
const MOST_STOPS = 60;

const HELPERS = `
  const root = document.querySelector('dialog[open]') ?? document.body;
  const name = (element) => element.outerHTML.slice(0, 140);
  const shows = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('.unseen, .skip');
  const all = (selector) => [...root.querySelectorAll(selector)].filter(shows);
  /** What is at the centre of the part of an element that is in the window; null if it is elsewhere. */
  const hitAt = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [(Math.max(0, left) + Math.min(innerWidth, right)) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2];
    return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight ? null : document.elementFromPoint(x, y);
  };
  const isAt = (element, hit) => element.contains(hit) || hit?.closest('label')?.control === element;
`;

/** Texts that are cut off, leave their box, or overlap; controls that cannot be reached. */
const FAULTS = `(() => {
  ${HELPERS}
  const faults = [];
  if (document.scrollingElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  // What lies above something else on purpose is compared with its own texts alone.
  const LAYERS = 'dialog, aside, header, footer, thead, .notices, .filter, .selection-bar, .plan-question, .camera, .link-words, main';
  const lines = all('*').filter((element) => !element.closest('.chart, .plan-labels')).flatMap((element) =>
    [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '').flatMap((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()].filter(({ width }) => width > 1).map((box) => ({ element, box }));
    }));
  for (const { element, box } of lines) {
    const style = getComputedStyle(element);
    const around = element.closest('button, summary, .card, .option, td, th, .chip')?.getBoundingClientRect();
    if (around && (box.top < around.top - 3 || box.bottom > around.bottom + 3)) faults.push('leaves its box: ' + name(element));
    let isShortened = false;
    for (let each = element; each !== root && each !== null; each = each.parentElement) {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(each);
      if (/auto|scroll/.test(overflowX + overflowY)) break;
      isShortened ||= textOverflow === 'ellipsis';
      const clip = each.getBoundingClientRect();
      if (/hidden|clip/.test(overflowY) && box.bottom > clip.bottom + 2 && box.top < clip.bottom - 2) faults.push('cut off below: ' + name(element));
      if (/hidden|clip/.test(overflowX) && !isShortened && box.right > clip.right + 2 && box.left < clip.right) faults.push('cut off at its end: ' + name(element));
    }
  }
  for (const [index, one] of lines.entries()) {
    const layer = one.element.closest(LAYERS);
    for (const other of lines.slice(index + 1)) {
      if (other.element.closest(LAYERS) !== layer) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const least = Math.min(one.box.height, other.box.height);
      if (width > 2 && height > least / 3) faults.push('overlap: ' + name(one.element) + ' and ' + name(other.element));
    }
  }
  for (const control of all('a[href], button, input, select, textarea, summary')) {
    // Cards lie in a picture that is moved, and messages go away.
    if (control.closest('.layer, .notices')) continue;
    control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const hit = hitAt(control);
    if (hit === null) faults.push('out of the window: ' + name(control));
    else if (!isAt(control, hit) && !hit.closest('.notices')) faults.push('covered: ' + name(control) + ' by ' + name(hit));
  }
  return [...new Set(faults)];
})()`;

export function faultsOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FAULTS);
}

/** The element with the focus: null at the end of the page, else whether it is new, and what is wrong. */
const STOP = `(() => {
  ${HELPERS}
  const element = document.activeElement;
  if (element === null || element === document.body || element.dataset.walked === 'true') return null;
  element.dataset.walked = 'true';
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
  const isMarked = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && !/, 0\\)$/.test(outlineColor);
  const hit = hitAt(element);
  return [
    ...(isMarked ? [] : ['no mark of the focus: ' + name(element)]),
    ...(hit !== null && (isAt(element, hit) || hit.closest('.notices')) ? [] : ['the focus is hidden: ' + name(element)]),
  ];
})()`;

/** Walks by the Tab key, and returns the places at which the reader does not see the focus. */
export async function hiddenFocusOn(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate<string[] | null>(STOP);
    if (found === null) break;
    faults.push(...found);
  }
  return faults;
}

/** States and statuses that only a colour of the page would tell. */
const ALIKE = `(() => {
  ${HELPERS}
  const faults = [];
  const ground = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    const isClear = backgroundColor === 'transparent' || /, 0\\)$/.test(backgroundColor);
    return isClear && element.parentElement !== null ? ground(element.parentElement) : backgroundColor;
  };
  const look = (element) => {
    const style = getComputedStyle(element);
    return JSON.stringify([
      ground(element), style.outlineStyle, style.outlineWidth, style.fontWeight, style.textDecorationLine,
      ...['Top', 'Right', 'Bottom', 'Left'].flatMap((side) => [style['border' + side + 'Width'], style['border' + side + 'Style']]),
    ]);
  };
  for (const state of ['aria-selected', 'aria-pressed', 'aria-current']) {
    for (const element of all('[' + state + ']:not([' + state + '="false"])')) {
      if (element === document.activeElement) continue;
      const peer = all(element.tagName).find((each) =>
        each !== document.activeElement && each.className === element.className &&
        each.parentElement.className === element.parentElement.className &&
        (each.getAttribute(state) ?? 'false') === 'false' && each.dataset.status === element.dataset.status);
      if (peer !== undefined && look(peer) === look(element)) faults.push(state + ' does not show: ' + name(element));
    }
  }
  const signs = new Map();
  for (const glyph of all('.glyph')) {
    const { status } = glyph.dataset;
    if (getComputedStyle(glyph).color === ground(glyph)) faults.push('invisible: ' + name(glyph));
    signs.set(status, (signs.get(status) ?? new Set()).add(glyph.textContent));
  }
  if (new Set([...signs.values()].map((each) => [...each].join())).size < signs.size) faults.push('statuses look alike');
  return faults;
})()`;

export function alikeOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(ALIKE);
}
