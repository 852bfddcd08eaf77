// The styles of statuses in drawings, which exports write and readers know.

/** The classes of Mermaid, by status. */
export const STATUS_CLASSES = ['available', 'inProgress', 'blocked', 'completed'] as const;
/** The colours by status. */
export const STATUS_COLOURS: readonly string[] = ['#d7f0db', '#fff2cc', '#f8d7da', '#e2e3e5'];
/** The rest of the style of each class. */
export const CLASS_STYLE = 'stroke:#555,color:#111';
