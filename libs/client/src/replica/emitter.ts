// Listeners by event. One that throws does not stop the others.
import type { Unsubscribe } from '../session.ts';

export interface Emitter<Events> {
  on<E extends keyof Events>(kind: E, listener: (event: Events[E]) => void): Unsubscribe;
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
          // A bug of the listener: report it as an uncaught error.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
