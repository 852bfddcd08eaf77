// The texts of undo and redo that depend on what is on its way, in English.
export const undo = {
  waiting: 'A change is still on its way to the service. Try again when it has arrived.',
} as const;
