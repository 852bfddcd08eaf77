// Identifiers: UUIDv7 whose 12 bits rand_a contain the slot, so that a gateway finds the worker
// without a look-up.
import { z } from 'zod';

/** The number of slots: the values of the 12 bits rand_a. */
export const SLOTS = 4096;

/**
 * The number of partitions. It is fixed for the life of a deployment, because it assigns slots to
 * workers.
 */
export const PARTITIONS = 64;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any UUID, normalised to lower case. Clients treat ids as opaque (GEN1). */
export const anyId = z
  .string()
  .regex(UUID, 'must be a UUID')
  .meta({ format: 'uuid' })
  .transform((id) => id.toLowerCase());

/** The slot (0..4095) in an id's rand_a. */
export function slotOf(id: string): number {
  return Number.parseInt(id.slice(15, 18), 16);
}

/**
 * The id with random bits in place of its slot, for readers who may not know the owner. Equal ids
 * stay equal.
 */
export function withoutSlot(id: string): string {
  return id.slice(0, 15) + id.slice(-3) + id.slice(18);
}

/** The partition (0..63) of a slot. */
export function partitionOf(slot: number): number {
  return slot % PARTITIONS;
}

/**
 * Composes a UUIDv7 (RFC 9562, section 5.7).
 *
 * slot: 0..4095, into rand_a. timeMs: milliseconds since 1970. counter: 0..16383, into the highest
 * 14 bits of rand_b, so that ids of one millisecond keep their order. random: at least 6 bytes,
 * into the other bits.
 */
export function composeId(slot: number, timeMs: number, counter: number, random: Uint8Array): string {
  const time = timeMs.toString(16).padStart(12, '0');
  const variant = (0x8000 | (counter & 0x3fff)).toString(16);
  let tail = '';
  for (let index = 0; index < 6; index++) tail += (random[index] ?? 0).toString(16).padStart(2, '0');
  const slotDigits = (slot % SLOTS).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${slotDigits}-${variant}-${tail}`;
}
