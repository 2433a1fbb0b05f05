const COUNT = 10_000;
/** Shares no factor with the count: every amount comes once, and not in order. */
const STRIDE = 7919;

const STATUSES = ['open', 'paid', 'open', 'overdue', 'open'];
export const OWNERS = ['ada', 'boris', 'chen', 'dana', 'emre', 'fatou', 'gael'];
const REGIONS = ['north', 'east', 'south', 'west'];
const NOTES = ['sent by post', 'sent by mail', 'second reminder', 'rate agreed', 'waits for a purchase order'];

/** 10,000 rows of 10 fields, about 200 bytes each. */
export const ROWS = Array.from({ length: COUNT }, (_, index) => ({
  id: 100_000 + index,
  title: `Invoice ${2020 + (index % 7)}-${String(index).padStart(5, '0')}`,
  status: STATUSES[index % STATUSES.length],
  owner: OWNERS[index % OWNERS.length],
  region: REGIONS[index % REGIONS.length],
  amount: ((index * STRIDE) % COUNT) / 4,
  paid: index % 3 === 0,
  due: new Date(Date.UTC(2026, 0, 1 + (index % 365))).toISOString(),
  tags: ['billing', REGIONS[(index >> 2) % REGIONS.length]],
  note: NOTES[index % NOTES.length],
}));

/** As an upstream sends them. */
export const ROWS_TEXT = JSON.stringify({ items: ROWS });

export const LIST_ROWS = {
  name: 'list_rows',
  description: 'Lists all rows.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
};
