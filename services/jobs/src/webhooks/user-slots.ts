// Bounds the runs of one user's webhooks in this process, so that slow receivers of one user do not
// occupy the others' runs. Rule: HOOK13.

/** Maximum runs of one user at once. */
const MOST_OF_ONE_USER = 4;

export interface UserSlots {
  /** Does the work, or nothing if the user has no free slot: the next sweep finds the webhook again. */
  run(userId: string, work: () => Promise<void>): Promise<void>;
}

export function createUserSlots(): UserSlots {
  const taken = new Map<string, number>();
  return {
    async run(userId, work) {
      const own = taken.get(userId) ?? 0;
      if (own >= MOST_OF_ONE_USER) return;
      taken.set(userId, own + 1);
      try {
        await work();
      } finally {
        const left = (taken.get(userId) ?? 1) - 1;
        if (left === 0) taken.delete(userId);
        else taken.set(userId, left);
      }
    },
  };
}
