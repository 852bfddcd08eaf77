// Words and forms of Arabic that its texts share. Modules of these texts import types alone from others:
// the first load waits for them, so its modules would never run. Digits are those of fields and keys.

const LOCALE = 'ar-u-ca-gregory-nu-latn';
const NUMBER = new Intl.NumberFormat(LOCALE);
const LIST = new Intl.ListFormat(LOCALE, { type: 'conjunction' });
const RULES = new Intl.PluralRules(LOCALE);
const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long', timeStyle: 'short' });

/** Signs that change the direction of a text. */
const DIRECTION_SIGNS = /[\u202a-\u202e\u2066-\u2069]/gu;

/** The forms of a noun by number: for 1 and for 2 with the number, then for 3 to 10, 11 to 99, and others. */
export type NounForms = readonly [one: string, two: string, few: string, many: string, other: string];

export const TASKS: NounForms = ['مهمة واحدة', 'مهمتان', 'مهام', 'مهمة', 'مهمة'];
/** After a preposition or as an object. */
export const OF_TASKS: NounForms = ['مهمة واحدة', 'مهمتين', 'مهام', 'مهمة', 'مهمة'];
export const LINKS: NounForms = ['رابط واحد', 'رابطان', 'روابط', 'رابطًا', 'رابط'];
export const OF_LINKS: NounForms = ['رابط واحد', 'رابطين', 'روابط', 'رابطًا', 'رابط'];
export const CHANGES: NounForms = ['تغيير واحد', 'تغييران', 'تغييرات', 'تغييرًا', 'تغيير'];

/** By status. */
export const STATUSES = ['متاحة', 'قيد التنفيذ', 'متوقفة', 'مكتملة'] as const;
/** By level of access. */
export const LEVELS = ['مالك', 'مدير', 'محرر', 'مشاهد'] as const;

export function number(value: number): string {
  return NUMBER.format(value);
}

export function count(amount: number, [one, two, few, many, other]: NounForms): string {
  switch (RULES.select(amount)) {
    case 'one':
      return one;
    case 'two':
      return two;
    case 'few':
      return `${number(amount)} ${few}`;
    case 'many':
      return `${number(amount)} ${many}`;
    default:
      return `${number(amount)} ${other}`;
  }
}

export function day(text: string): string {
  return DAY.format(new Date(`${text}T00:00:00Z`));
}

export function moment(instant: string): string {
  return MOMENT.format(new Date(instant));
}

/** A title, a name or an address within a sentence keeps its own direction. */
export function isolated(text: string): string {
  return `\u2068${text.replace(DIRECTION_SIGNS, '')}\u2069`;
}

export function quoted(title: string): string {
  return `«${isolated(title)}»`;
}

export function list(items: readonly string[]): string {
  return LIST.format(items.map(isolated));
}

/** Of sentences and their parts, which have signs and directions of their own. */
export function semicolonList(items: readonly string[]): string {
  return items.join('؛ ');
}
