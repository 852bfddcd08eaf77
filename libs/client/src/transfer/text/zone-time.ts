// Converts clock times of named time zones to UTC, by the data of the platform.

const FORMATS = new Map<string, Intl.DateTimeFormat | null>();
/** Zones of one file; the names come from the file. */
const MAXIMUM_ZONES = 1_000;

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = FORMATS.get(zone);
  if (known !== undefined) return known;
  if (FORMATS.size >= MAXIMUM_ZONES) FORMATS.clear();
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // The zone is unknown.
  }
  FORMATS.set(zone, format);
  return format;
}

/** The milliseconds of the zone's clock at an instant, as if the clock were one of UTC. */
function clockAt(format: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/**
 * The instant at which the clock of a zone shows a time, such as `2026-12-24T18:00:00`, in ISO 8601
 * UTC; null if the zone or the time is unknown.
 */
export function instantInZone(clock: string, zone: string): string | null {
  const format = formatOf(zone);
  const wanted = Date.parse(`${clock}Z`);
  if (format === null || Number.isNaN(wanted)) return null;
  // The offset at the first guess may be that of the other side of a change of clocks.
  const first = wanted - (clockAt(format, wanted) - wanted);
  const second = first - (clockAt(format, first) - wanted);
  return new Date(second).toISOString();
}
