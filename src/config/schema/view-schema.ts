import { CATEGORIES, DANGER_LEVELS } from '../../base/protocol/operation.js';
import { RULE } from './policy-schema.js';
import { MODES } from './serving-schema.js';
import { boolean, choice, dictionary, integer, list, NAME_GLOB, oneOrMany, section, string, text } from './setting.js';

const HOLDER = string({ minLength: 1, maxLength: 200 }, '');

export const VIEW_OPERATIONS = section('Which operations of these: those that pass everything that is given.', {
  include: oneOrMany(
    NAME_GLOB,
    "Names or pattern(s) of them, bare (`list_*`) or qualified (`github__*`); the gateway's own operations need not be named.",
  ),
  exclude: oneOrMany(NAME_GLOB, 'Names or pattern(s) of what is left out; it beats `include`.'),
  categories: oneOrMany(choice(CATEGORIES, ''), 'What the operation does to state.'),
  danger: choice(DANGER_LEVELS, 'The highest danger.'),
});

export const VIEW = section('A part of the gateway.', {
  description: string({ minLength: 1, maxLength: 300 }, 'What it is for; models read it first.'),
  upstreams: oneOrMany(
    NAME_GLOB,
    'Names of upstreams in any spelling, or pattern(s) of them in snake_case; all unless given.',
  ),
  operations: VIEW_OPERATIONS,
  mode: choice(MODES, 'As `endpoint.mode`, which holds unless given.'),
  profile: text('As `endpoint.profile`, which holds unless given.'),
  passthrough: boolean('As `endpoint.passthrough`, which holds unless `mode` is given.'),
  policy: section('What is decided about calls in it, on top of `policy`.', {
    rules: list(
      RULE,
      'Rules as those of `policy.rules`, which hold in this view alone. They only restrict: a rule that allows stands in `policy.rules`, with a `match` of the view.',
    ),
  }),
  tokenBudget: integer(
    100,
    1_000_000,
    'What its tools may cost a client, in tokens: descriptions are shortened and at last one tool is shown to stay within it.',
  ),
  clients: oneOrMany(
    HOLDER,
    'Names of `clients` that are bound to it: they may enter this view, other views that name them, and nothing else. Where clients or groups are named, no other may enter.',
  ),
  groups: oneOrMany(HOLDER, 'The same for groups of users.'),
});

/** The part of the main file's schema about views. */
export const VIEWS = dictionary(
  { propertyNames: { pattern: '^[a-z][a-z0-9_-]*$', maxLength: 40 } },
  VIEW,
  'Parts of the gateway, each with its own address `/mcp/NAME`, servers, operations, tools and policy. What is outside a view does not exist in it.',
);
