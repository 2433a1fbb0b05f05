/** What becomes of a tool whose effect a parameter chooses: one operation a value, or one operation. */
export const GROUP_MODES = ['split', 'keep'] as const;

export type GroupMode = (typeof GROUP_MODES)[number];
