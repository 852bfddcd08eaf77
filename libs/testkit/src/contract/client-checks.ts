// Checks everything that a gateway sends to this process's `fetch` and Socket.IO sockets, below the
// clients, so that every test is covered. Files that run in one process share the patch: a second
// one would check everything twice.
import { Socket } from 'socket.io-client';
import {
  type FaultTexts,
  faultsOfAck,
  faultsOfConnectError,
  faultsOfPush,
  faultsOfResponse,
  isSelective,
} from './conformance.ts';

const found: string[] = [];
const note = (faults: FaultTexts) => void found.push(...faults);

/** The faults since the last call. */
export function takeRecordedFaults(): string[] {
  return found.splice(0);
}

/**
 * Paths of gateways. Other requests of a test, such as to a provider or for metrics, are not
 * checked.
 */
const OURS = /^\/api(\/|$)/;

const bareFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const response = await bareFetch(input, init);
  const request = input instanceof Request ? input : null;
  const { pathname, searchParams } = new URL(request?.url ?? String(input));
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!OURS.test(pathname) || !isJson || method === 'HEAD' || response.status === 304) return response;
  const text = await response.text();
  // A connection that ends within a body gives its reader the same error as without the check.
  const selects = searchParams.has('fields') || isSelective(bodyOf(init));
  if (text !== '') note(faultsOfResponse(method, pathname, response.status, JSON.parse(text), selects));
  return new Proxy(new Response(text, response), {
    get: (target, name) => (name === 'url' ? response.url : bound(target, Reflect.get(target, name, target))),
  });
};

/** The parsed body of a request; null if it is no JSON. */
function bodyOf(init: RequestInit | undefined): unknown {
  try {
    return JSON.parse(String(init?.body));
  } catch {
    return null;
  }
}

function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(target) : value;
}

/** The part of a Socket.IO packet that the check reads. */
interface Packet {
  readonly type: number;
  readonly id?: number;
  readonly data?: unknown;
}
const [EVENT, ACK, CONNECT_ERROR] = [2, 3, 4];

interface PatchedSocket {
  packet(packet: Packet): void;
  onpacket(packet: Packet): void;
}

const prototype = Socket.prototype as unknown as PatchedSocket;
const calls = new WeakMap<PatchedSocket, Map<number, readonly [event: string, payload: unknown]>>();
const { packet: send, onpacket: receive } = prototype;

prototype.packet = function (packet) {
  const pending = calls.get(this) ?? new Map<number, readonly [event: string, payload: unknown]>();
  if (packet.type === EVENT && packet.id !== undefined) pending.set(packet.id, packet.data as [string, unknown]);
  calls.set(this, pending);
  send.call(this, packet);
};

prototype.onpacket = function (packet) {
  const { type, id, data } = packet;
  if (type === EVENT) note(faultsOfPush(...(data as [string, unknown])));
  if (type === CONNECT_ERROR) note(faultsOfConnectError((data as { data?: unknown }).data));
  const call = type === ACK ? calls.get(this)?.get(id as number) : undefined;
  if (call !== undefined) note(faultsOfAck(call[0], (data as [unknown])[0], isSelective(call[1])));
  receive.call(this, packet);
};
