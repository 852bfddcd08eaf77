// The texts of undo and redo that depend on what is on its way, in English.
export const undo = {
  waiting: 'A change is still being sent. Try again in a moment.',
} as const;
