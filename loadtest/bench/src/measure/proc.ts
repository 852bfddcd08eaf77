// Processor time and memory of a process, from Linux's /proc.
import { readFileSync } from 'node:fs';

/** /proc counts processor time in ticks of USER_HZ, which is 100 on every platform of Node. */
const TICK_MS = 10;
/**
 * Indexes of utime and stime after the name, which is in parentheses and may contain blanks and
 * parentheses.
 */
const [UTIME, STIME] = [11, 12];

/** Milliseconds of processor time of all threads, from the text of /proc/PID/stat. */
export function cpuMsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[UTIME]) + Number(fields[STIME]);
  if (!Number.isFinite(ticks)) throw new Error('/proc/PID/stat has another form than proc(5) says');
  return ticks * TICK_MS;
}

/** Bytes of resident memory, from the text of /proc/PID/status. */
export function residentBytesOf(status: string): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error('/proc/PID/status has another form than proc(5) says');
  return Number(kibibytes) * 1_024;
}

/**
 * Milliseconds of processor time of a running process. Throws if the process has ended, or without
 * /proc.
 */
export function readCpuMs(pid: number): number {
  return cpuMsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

export function readResidentBytes(pid: number): number {
  return residentBytesOf(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
