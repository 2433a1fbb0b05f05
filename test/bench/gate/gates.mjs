import { NOUNS, VERBS } from '../server/catalogue.mjs';

const DECISIONS = { get: 'allow', list: 'allow', create: 'confirm', update: 'confirm', delete: 'deny' };

/** One rule for each kind of filler tool: 50. */
const RULES = VERBS.flatMap((verb) =>
  NOUNS.map((noun) => ({ match: { operation: `${verb}_${noun}_*` }, decision: DECISIONS[verb] })),
);

/** Must be held against the text of every READ. */
const GLOB_RULE = {
  match: { operation: ['get_*', 'list_*'], params: { text: { glob: '**/secrets/**' } } },
  decision: 'deny',
};

/** What the others are compared with. */
export const BASELINE = 'open';

/**
 * The gates that the same calls pass in turn. `rules` configure a policy; without them there is no policy,
 * and every call passes. `refuses` names the probes that must not pass: a gate that refuses nothing measures nothing.
 */
export const GATES = [
  { name: BASELINE, refuses: [] },
  { name: 'noise', label: 'none, measured again: the noise', refuses: [] },
  { name: 'defaults', label: 'defaults: no rules', rules: [], refuses: [] },
  { name: 'rules', label: '50 rules, none looks at parameters', rules: RULES, refuses: ['create'] },
  {
    name: 'glob',
    label: "50 rules, one holds a glob against the call's text",
    rules: [GLOB_RULE, ...RULES.slice(1)],
    refuses: ['create', 'secret'],
  },
];
