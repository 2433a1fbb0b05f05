import type { ComputedField, Control, FieldPath } from '../../src/results/query/result-types.js';

/** 2026-06-01, as milliseconds since the epoch. */
export const NOW = Date.UTC(2026, 5, 1);

const DAY = 86_400_000;

/** A computed field in the form of a curation: whole days since `created_at`, null where that is no date. */
export const AGE_DAYS: ComputedField = {
  name: 'age_days',
  description: 'Days since creation',
  type: 'number',
  compute: (item, now) => {
    const created = Date.parse(String((item as { created_at?: unknown }).created_at));
    return Number.isNaN(created) ? null : Math.floor((now - created) / DAY);
  },
};

/** How an operation's controls are read: under their own names. */
export const CONTROLLED = {
  nameOf: (control: Control): string => control,
  presets: ['minimal', 'standard', 'full', 'contact'],
  operation: 'list_items',
};

/** The source of fields for queries over plain items. */
export const SOURCE = {
  computed: [AGE_DAYS],
  now: NOW,
  presets: new Map<string, readonly FieldPath[]>([['contact', [['name'], ['email']]]]),
  operation: 'list_items',
};
