// Listeners by kind of event; one that throws keeps no other from hearing.
import type { Unlisten } from '../session.ts';

export interface Emitter<Events> {
  on<E extends keyof Events>(kind: E, listener: (event: Events[E]) => void): Unlisten;
  emit<E extends keyof Events>(kind: E, event: Events[E]): void;
}

export function createEmitter<Events>(): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<(event: never) => void>>();
  return {
    on(kind, listener) {
      const all = listeners.get(kind) ?? new Set();
      listeners.set(kind, all.add(listener));
      return () => void all.delete(listener);
    },
    emit(kind, event) {
      for (const listener of [...(listeners.get(kind) ?? [])]) {
        try {
          listener(event as never);
        } catch (error) {
          // A bug of the listener's, for whoever watches over the program.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
