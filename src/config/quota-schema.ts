import { CATEGORIES } from '../protocol/category.js';
import type { JsonSchema } from '../protocol/json.js';
import { CONFIG_DEFAULTS } from './config-defaults.js';
import { MATCH_PROPERTIES, NAME_GLOB } from './policy-schema.js';
import { API_LIMIT_SCOPES, API_WINDOWS, METRICS, SHARES } from './quota-config.js';
import { keysOf, range, section } from './schema-parts.js';

const MAX_AMOUNT = 1_000_000_000;

const { operation, category, upstream, client } = MATCH_PROPERTIES;

function threshold(description: string): JsonSchema {
  return { type: 'number', minimum: 0, maximum: MAX_AMOUNT, description };
}

const currency: JsonSchema = { type: 'string', pattern: '^[A-Z]{3}$', description: 'The currency of every price.' };

const LIMIT: JsonSchema = {
  ...keysOf({
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: 'What messages call it and counters are known by; its metric if not given.',
    },
    match: section('Which calls it is about: all that is given must match, and of a list one entry.', {
      operation,
      category,
      upstream,
      client,
    }),
    per: {
      enum: [...SHARES],
      default: 'all',
      description: 'Whether everybody draws on one budget, each client on its own, or each session on its own.',
    },
    metric: { enum: Object.keys(METRICS), description: 'What is counted, and over which span of the calendar (UTC).' },
    warn: threshold('From here on answers carry a warning.'),
    pause: threshold('A call that would pass this is held until its caller is told to go on.'),
    hard_stop: threshold('A call that would pass this is refused.'),
    currency: { ...currency, description: 'Of a metric of cost; the one of the prices.' },
  }),
  required: ['metric'],
};

const PRICE: JsonSchema = {
  ...keysOf({
    match: section('Which operations cost it: all that is given must match, and of a list one entry.', {
      operation,
      category,
      upstream,
    }),
    cost_per_call: { type: 'number', minimum: 0, maximum: 1_000_000, description: 'In `currency`, by the millionth.' },
  }),
  required: ['cost_per_call'],
};

export const QUOTAS_SECTION = section(
  'Budgets of calls, tokens and money. See [quotas](quotas.md).',
  {
    limits: { type: 'array', items: LIMIT, description: 'What may be used in a span of time; each counts by itself.' },
    pricing: {
      type: 'array',
      items: PRICE,
      description: 'What operations cost; the last that matches one is its price.',
    },
    currency,
  },
  CONFIG_DEFAULTS.quotas,
);

export const API_LIMIT_PROPERTIES = {
  scope: {
    enum: [...API_LIMIT_SCOPES],
    description: 'Every call of the server, those of an `operation` pattern, or those of a `category`.',
  },
  operation: { ...NAME_GLOB, description: 'Of `endpoint`: a name, or a pattern whose operations count together.' },
  category: {
    enum: [...CATEGORIES, ...CATEGORIES.map((name) => name.toLowerCase())],
    description: 'Of `category`: the one that is counted.',
  },
  limit: range(1, MAX_AMOUNT, 'Calls in one window.'),
  window: { enum: [...API_WINDOWS], description: 'A span of the calendar (UTC).' },
};

/** A server's own key. */
export const API_LIMITS_SETTING: JsonSchema = {
  type: 'array',
  items: { ...keysOf(API_LIMIT_PROPERTIES), required: ['scope', 'limit', 'window'] },
  description: 'How many calls the server takes; what would be one too many is not sent. See below.',
};
