// Times in answers. A due date in the last second of a day in UTC means that day (IO6).

const END_OF_DAY = 'T23:59:59.000Z';

/** A day, or a time in UTC without milliseconds. */
export function dayText(time: string): string {
  return time.endsWith(END_OF_DAY) ? time.slice(0, -END_OF_DAY.length) : momentText(time);
}

/** A time in UTC without milliseconds. */
export function momentText(time: string): string {
  return time.replace(/\.\d{3}Z$/, 'Z');
}
