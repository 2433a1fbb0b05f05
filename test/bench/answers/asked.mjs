import { sum } from '../statistics.mjs';
import { OWNERS, ROWS } from './rows.mjs';

const FIELDS = ['id', 'title', 'amount'];
const FILTER = { status: 'open', amount: { gte: 250 } };
const SORT = [{ field: 'amount', order: 'desc' }];
const PAGE = 20;

/** What the controls above must come to, found without them. */
const BY_AMOUNT = [...ROWS].sort((a, b) => b.amount - a.amount);
const isWanted = ({ status, amount }) => status === 'open' && amount >= 250;
const isFound = ({ status, note }) => status === 'overdue' || note.includes('reminder');
const pick = ({ id, title, amount }) => ({ id, title, amount });
const CHOSEN = BY_AMOUNT.filter(isWanted).map(pick);

/** What the others are compared with: the answer passed on whole, by a gateway that looks at no answer. */
export const BASELINE = 'passed on';

/**
 * What is asked of the 10,000 rows. `settings` are those other than the defaults, `follows` asks for the page after; without
 * `isRight` results pass unchanged. `isRight` judges the data that comes.
 */
export const ASKED = [
  { name: BASELINE, params: {} },
  { name: 'noise', label: 'passed on, measured again: the noise', params: {} },
  {
    name: 'nothing',
    label: 'nothing, and sent whole (`maxTokens` 0)',
    settings: { maxTokens: 0 },
    params: {},
    isRight: ({ items }) => isSame(items, ROWS),
  },
  {
    name: 'cut',
    label: 'nothing: cut at 100 kB, the rest kept',
    params: {},
    isRight: ({ items }) => items.length < ROWS.length && isBeginning(items, ROWS),
  },
  {
    name: 'fields',
    label: '3 of 10 fields',
    params: { fields: FIELDS },
    isRight: ({ items }) => isBeginning(items, ROWS.map(pick)),
  },
  {
    name: 'filter',
    label: 'filter',
    params: { filter: FILTER },
    isRight: (data) => isPage(data, ROWS.filter(isWanted)),
  },
  { name: 'sort', label: 'sort', params: { sort: SORT }, isRight: (data) => isPage(data, BY_AMOUNT) },
  {
    name: 'three',
    label: 'filter + sort + fields',
    params: { filter: FILTER, sort: SORT, fields: FIELDS },
    isRight: (data) => isPage(data, CHOSEN),
  },
  {
    name: 'first',
    label: `filter + sort + fields + first ${PAGE}`,
    params: { filter: FILTER, sort: SORT, fields: FIELDS, first: PAGE },
    isRight: (data) => isPage(data, CHOSEN) && data.items.length === PAGE,
  },
  {
    name: 'page 2',
    label: `the next ${PAGE} of these, from what was kept`,
    follows: true,
    params: { filter: FILTER, sort: SORT, fields: FIELDS, first: PAGE },
    isRight: (data) => isPage(data, CHOSEN, PAGE) && data.items.length === PAGE,
  },
  {
    name: 'query',
    label: 'text query: two words',
    params: { query: 'reminder overdue' },
    isRight: (data) => isPage(data, ROWS.filter(isFound)),
  },
  {
    name: 'aggregate',
    label: 'aggregate: count and sum by owner',
    params: { aggregate: { by_owner: { group_by: 'owner', count: true, sum: 'amount' } } },
    isRight: ({ matched, aggregations: { by_owner: groups } }) =>
      matched === ROWS.length && OWNERS.every((owner) => isSummary(groups[owner], owner)),
  },
];

function isSummary({ count, sum: found }, wanted) {
  const amounts = ROWS.filter(({ owner }) => owner === wanted).map(({ amount }) => amount);
  return count === amounts.length && Math.abs(found - sum(amounts)) < 0.01;
}

function isPage({ items, pageInfo }, expected, start = 0) {
  return pageInfo.totalCount === expected.length && isBeginning(items, expected.slice(start));
}

function isBeginning(items, expected) {
  return items.length > 0 && isSame(items, expected.slice(0, items.length));
}

function isSame(items, expected) {
  return JSON.stringify(items) === JSON.stringify(expected);
}
