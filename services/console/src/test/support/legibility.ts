// Finds faults of enlarged screens and of forced colours, by the boxes of texts and controls.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { expect } from 'vitest';

/** Stops of the Tab key on one screen, at most: the rows of a list after that are alike. */
const MOST_STOPS = 60;

/** `root` is what the reader has before them: an open dialog, or the panel where it covers the view. */
const HELPERS = `
  const panel = document.querySelector('.side-column');
  const isSheet = panel?.checkVisibility() && getComputedStyle(panel).position === 'fixed';
  const root = document.querySelector('dialog[open]') ?? (isSheet ? panel : document.body);
  const name = (element) => element.outerHTML.slice(0, 160);
  const shows = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest('.unseen, .skip') && !/inset\\(/.test(getComputedStyle(element).clipPath);
  const all = (selector) => [...root.querySelectorAll(selector)].filter(shows);
  const CONTROLS = 'a[href], button, input, select, textarea, summary';
  /** What is at the centre of the part of a box that is in the window; null if it is elsewhere. */
  const hitAt = ({ left, top, right, bottom }) => {
    const [x, y] = [(Math.max(0, left) + Math.min(innerWidth, right)) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2];
    return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight ? null : document.elementFromPoint(x, y);
  };
  const isAt = (element, hit) => element.contains(hit) || hit?.closest('label')?.control === element;
  /** Readers pan the picture, so its cards may lie outside the window. */
  const isInPicture = (element) => element.closest('.layer') !== null;
`;

/** Texts that are cut off, leave their box or are covered; controls that cannot be reached. */
const FAULTS = `(() => {
  ${HELPERS}
  const faults = [];
  // What scrolls sideways in itself: the chart of the plan does not, but a table of a file does.
  for (const element of [document.scrollingElement, ...all('main, .panel, .notices, dialog, .outline-scroller, .plan-scroller')])
    if (element.scrollWidth > element.clientWidth + 1) faults.push('scrolls sideways by ' + (element.scrollWidth - element.clientWidth) + ': ' + name(element));
  for (const element of all('*')) {
    if (element.closest('svg, .chart, option')) continue;
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (texts.length === 0) continue;
    if (!isInPicture(element)) element.scrollIntoView({ block: 'center', inline: 'nearest' });
    for (const text of texts) {
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) {
        if (box.width <= 1) continue;
        // Letters under each other are no word.
        if (box.height > 8 * box.width && text.data.trim().length > 2) faults.push('too narrow: ' + name(element));
        const frame = element.closest('button, summary, .card, .option, td, th, .chip')?.getBoundingClientRect();
        if (frame && (box.top < frame.top - 3 || box.bottom > frame.bottom + 3)) faults.push('leaves its box: ' + name(element));
        let seen = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
        for (let each = element; each !== null; each = each.parentElement) {
          const { overflowX, overflowY, textOverflow } = getComputedStyle(each);
          const clip = each.getBoundingClientRect();
          const [cutsX, cutsY] = [overflowX, overflowY].map((overflow) => /hidden|clip/.test(overflow));
          const [rollsX, rollsY] = [overflowX, overflowY].map((overflow) => /auto|scroll/.test(overflow));
          // A title that is shortened leads to the task, and an address has its whole text as its title.
          const isShortened = textOverflow === 'ellipsis' && each.closest('[data-task], a, button, [title], tr') !== null;
          if (cutsY && !isInPicture(element) && (box.bottom > clip.bottom + 2 || box.top < clip.top - 2)) faults.push('cut off below: ' + name(element));
          if (cutsX && !isShortened && !isInPicture(element) && (box.right > clip.right + 2 || box.left < clip.left - 2)) faults.push('cut off at a side: ' + name(element));
          if (cutsX || rollsX) Object.assign(seen, { left: Math.max(seen.left, clip.left), right: Math.min(seen.right, clip.right) });
          if (cutsY || rollsY) Object.assign(seen, { top: Math.max(seen.top, clip.top), bottom: Math.min(seen.bottom, clip.bottom) });
          if (isShortened || rollsX || rollsY) break;
        }
        if (seen.right - seen.left < 2 || seen.bottom - seen.top < 2 || isInPicture(element)) continue;
        const hit = hitAt(seen);
        if (hit === null) faults.push('out of the window: ' + name(element));
        else if (!hit.contains(element) && !element.contains(hit) && getComputedStyle(element).pointerEvents !== 'none')
          faults.push('covered: ' + name(element) + ' by ' + name(hit));
      }
    }
  }
  for (const control of all(CONTROLS)) {
    if (isInPicture(control)) continue;
    // As the browser scrolls to the focus; what the Tab key does not reach, the reader scrolls to.
    control.scrollIntoView({ block: control.tabIndex < 0 ? 'center' : 'nearest', inline: 'nearest' });
    const hit = hitAt(control.getBoundingClientRect());
    if (hit === null) faults.push('out of the window: ' + name(control));
    else if (!isAt(control, hit)) faults.push('covered: ' + name(control) + ' by ' + name(hit));
  }
  return [...new Set(faults)];
})()`;

export function faultsOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FAULTS);
}

/** The element with the focus: null at the end of the page, else what is wrong with it. */
const STOP = `(() => {
  ${HELPERS}
  const element = document.activeElement;
  if (element === null || element === document.body || element.dataset.walked === 'true') return null;
  element.dataset.walked = 'true';
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
  const isMarked = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && !/^rgba.*, 0\\)$/.test(outlineColor);
  const hit = hitAt(element.getBoundingClientRect());
  return [
    ...(isMarked ? [] : ['no mark of the focus: ' + name(element)]),
    ...(isAt(element, hit) ? [] : ['the focus is hidden: ' + name(element)]),
  ];
})()`;

/** Walks by the Tab key, and returns the places at which the reader does not see the focus. */
export async function hiddenFocusOn(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate<string[] | null>(STOP);
    // The first stop may be the browser itself.
    if (found === null && stop > 0) break;
    if (found === null) continue;
    faults.push(...found);
  }
  await page.evaluate(`for (const each of document.querySelectorAll('[data-walked]')) delete each.dataset.walked`);
  return faults;
}

/** Controls, bars and states that only a colour of the page would show. */
const LOST_IN_COLOURS = `(() => {
  ${HELPERS}
  const faults = [];
  const isClear = (colour) => colour === 'transparent' || /^rgba.*, 0\\)$/.test(colour);
  const ground = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return isClear(backgroundColor) && element.parentElement !== null ? ground(element.parentElement) : backgroundColor;
  };
  const SIDES = ['Top', 'Right', 'Bottom', 'Left'];
  const hasEdge = (element) => {
    const style = getComputedStyle(element);
    const around = element.parentElement === null ? '' : ground(element.parentElement);
    return ground(element) !== around || SIDES.some((side) =>
      style['border' + side + 'Style'] !== 'none' && Number.parseFloat(style['border' + side + 'Width']) > 0 &&
      !isClear(style['border' + side + 'Color']) && style['border' + side + 'Color'] !== around);
  };
  const isText = (element) => element.textContent.trim() !== '' && getComputedStyle(element).color !== ground(element);
  for (const element of all(CONTROLS + ', [role="button"], .option'))
    if (!isText(element) && !hasEdge(element) && !/checkbox|radio/.test(element.type)) faults.push('invisible: ' + name(element));
  for (const element of all('button:not(.plain), input, select, textarea, .bar, .slack, .ghost, .card, .tile, .board-card, dialog, .notice'))
    if (!hasEdge(element) && !/checkbox|radio/.test(element.type)) faults.push('no edge: ' + name(element));
  const appearanceOf = (element) => {
    const style = getComputedStyle(element);
    return JSON.stringify([
      ground(element), style.outlineStyle, style.outlineWidth, style.fontWeight, style.textDecorationLine,
      ...SIDES.flatMap((side) => [style['border' + side + 'Width'], style['border' + side + 'Style']]),
    ]);
  };
  for (const state of ['aria-selected', 'aria-pressed', 'aria-current']) {
    for (const element of all('[' + state + ']:not([' + state + '="false"])')) {
      if (element === document.activeElement) continue;
      const peer = all(element.tagName).find((each) =>
        each !== document.activeElement && each.className === element.className &&
        each.parentElement.className === element.parentElement.className &&
        (each.getAttribute(state) ?? 'false') === 'false' && each.dataset.status === element.dataset.status);
      if (peer !== undefined && appearanceOf(peer) === appearanceOf(element)) faults.push(state + ' does not show: ' + name(element));
    }
  }
  const signs = new Map();
  for (const glyph of all('.glyph')) {
    if (!isText(glyph)) faults.push('invisible: ' + name(glyph));
    signs.set(glyph.dataset.status, glyph.textContent);
  }
  if (new Set(signs.values()).size < signs.size) faults.push('statuses look alike');
  return [...new Set(faults)];
})()`;

/** With the colours of the system: what the reader does not see, or cannot tell from something else. */
export function lostInColoursOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(LOST_IN_COLOURS);
}

/** How the page is displayed, such as at a size or in other colours. */
export interface DisplayMode {
  readonly name: string;
  readonly prepare: (page: Page) => Promise<void>;
  readonly faults: (page: Page) => Promise<string[]>;
}

/** Expects no fault of a screen in any display mode, as soon as the page has followed it. */
export async function expectLegible(page: Page, screen: string, modes: readonly DisplayMode[]): Promise<void> {
  for (const { name, prepare, faults } of modes) {
    await prepare(page);
    await expect.poll(() => faults(page), { message: `${screen}, ${name}` }).toEqual([]);
  }
}
