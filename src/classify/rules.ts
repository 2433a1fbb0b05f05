import type { TrustLevel } from '../base/protocol/operation.js';
import { BELIEVED, type ParameterFacts, type ToolFacts } from './facts.js';
import { PARAMETER_RULES } from './parameter-rules.js';
import type { Rule, RuleMatch } from './rule.js';
import type { DescriptionRole } from './text/read-description.js';
import type { NameMatch, NameRole } from './text/read-name.js';
import { EFFECTS, type Effect, LEXICON, readShare, writeShare } from './words/lexicon.js';
import { wordList } from './words/word-lists.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** "Returns the created invoice", "Returns the id of the block that was queued": the result of a change. */
const RESULT_OF_CHANGE =
  /\breturns?\b[^.]{0,60}?(?:\bthe (?:newly |just )?(?:created|added|updated|inserted|queued|booked|issued|posted)\b|\b(?:that|which) was (?:just )?(?:created|added|inserted|queued|booked|issued|submitted|reserved)\b|\bwent out\b)/i;
/** Where a copy goes that is not only handed to the caller: "an uploaded file" is where it comes from. */
const HANDED_ON =
  /\b(?:uploads|(?:is|are|gets?|and|then)\s+(?:\w+ly\s+)?uploaded|share?able|(?:anyone|anybody|everyone|everybody) with the (?:url|link))\b/i;
const SELECTING =
  /(?:^|_)(?:ids?|names?|slug|uuid|number|app|apps|application|project|database|db|account|team|workspace|organization|org|region|environment|cluster|namespace|host|domain|repo|repository|owner)$/;
/** Verbs by which a description says how something is found out. */
const PREPARING = wordList('preparing');

/** How far `readOnlyHint: true` is trusted, as a share of its weight. Hints that raise danger always count in full. */
const TRUST_IN_READ_ONLY: Readonly<Record<TrustLevel, number>> = {
  untested: 0,
  generated: 0.3,
  validated: 1,
  community_reviewed: 4,
  certified: 6,
};

const NOTHING: readonly never[] = [];

/** Most rules find nothing, and a large catalog asks all of them for each tool. */
function ofRole<Match extends { readonly role: string }>(
  matches: readonly Match[],
  role: Match['role'],
): readonly Match[] {
  for (const match of matches) if (match.role === role) return matches.filter((one) => one.role === role);
  return NOTHING;
}

/** @param shareOf how much of the rule's weight a match has; 1 where undefined */
const inName =
  (
    role: NameRole,
    wording: (word: string) => string,
    shareOf: (match: NameMatch, facts: ToolFacts) => number | undefined = () => undefined,
    of: 'name' | 'title' = 'name',
  ) =>
  (facts: ToolFacts): readonly RuleMatch[] =>
    ofRole(facts[of], role).map((match) => {
      const { word, effect } = match;
      return { effect, word, says: `${wording(word)} ${EFFECTS[effect].phrase}`, share: shareOf(match, facts) };
    });

const inDescription =
  (
    role: DescriptionRole,
    wording: (word: string) => string,
    shareOf: (facts: ToolFacts) => number | undefined = () => undefined,
  ) =>
  (facts: ToolFacts): readonly RuleMatch[] =>
    ofRole(facts.description.matches, role).map((match) => {
      const { word, effect } = match;
      const share = shareOf(facts) ?? (isStray(match, facts) || isVague(match, facts) ? STRAY : undefined);
      return { effect, word, says: `${wording(word)} ${EFFECTS[effect].phrase}`, share };
    });

/** How much of a description's verb of change counts where it does not say what the tool does. */
const STRAY = 0.25;

/** How much a deed counts whose verb may as well only look. */
const VAGUE_DEED = 0.5;

/** Verbs that say little by themselves: "Puts a symbol on a list", "Sets up a source", "Go back to a former version". */
const VAGUE = words('put go load open setup make bring give let hand point turn roll keep');

/** Whether a verb of the description says less than the name, which changes something by a verb that is nothing else. */
function isVague({ word }: { readonly word: string }, { name }: ToolFacts): boolean {
  return (
    VAGUE.has(word) && name.some((match) => match.role === 'lead' && !VAGUE.has(match.word) && isCertainWrite(match))
  );
}

const isCertainWrite = ({ word, effect }: NameMatch): boolean =>
  writeShare(effect) > 0 && LEXICON.get(word)?.nounness === 'never';

const isCertainRead = ({ role, word, effect }: NameMatch): boolean =>
  role === 'lead' && readShare(effect) > 0 && LEXICON.get(word)?.nounness === 'never';

/**
 * Whether the name plainly reads: then the verbs of the description tell how ("generates a link", "authenticates"), and where
 * the author calls the tool read-only, they are not what it does.
 */
function isStray(
  { word, effect, occasion }: { readonly word: string; readonly effect: Effect; readonly occasion?: true },
  facts: ToolFacts,
): boolean {
  if (writeShare(effect) === 0 || !plainlyReads(facts)) return false;
  if (occasion === true) return true;
  return PREPARING.has(word) ? leadsByReading(facts) : callsItselfReadOnly(facts) && !HARD.has(effect);
}

/** Effects that no hint makes a way of reading. */
const HARD = wordList('hard-effects');

/** Whether the name has a verb that reads by itself, whatever is said beside it, and none that changes something. */
function plainlyReads({ name }: ToolFacts): boolean {
  const reads = name.some(({ role, word }) => (role === 'lead' || role === 'likely') && readsByItself(word));
  return reads && name.every(({ role, effect }) => writeShare(effect) === 0 || role === 'inner');
}

function leadsByReading({ name }: ToolFacts): boolean {
  return name.some(({ role, word }) => {
    const verb = LEXICON.get(word);
    return role === 'lead' && verb?.effect !== 'compute' && (READING.has(word) || verb?.nounness === 'never');
  });
}

function readsByItself(word: string): boolean {
  const verb = LEXICON.get(word);
  return verb !== undefined && readShare(verb.effect) > 0;
}

/**
 * Whether a tool whose name begins with a verb of making answers with a text to follow, as its description says: "provides
 * step-by-step guidance". Where the author calls it read-only, any answer will do.
 */
function answersOnly(facts: ToolFacts, effect: Effect): boolean {
  const { main, matches } = facts.description;
  const [said] = matches;
  if (!MAKING_ANSWERS.has(effect) || said?.role !== 'head' || !ANSWERING.has(said.word)) return false;
  const plain = matches.every((match) => writeShare(match.effect) === 0);
  return (effect === 'create' && callsItselfReadOnly(facts)) || (plain && GUIDANCE.test(main));
}

const shareOfMaking = ({ effect }: NameMatch, facts: ToolFacts): number | undefined =>
  answersOnly(facts, effect) ? STRAY : undefined;

const MAKING_ANSWERS: ReadonlySet<Effect> = new Set<Effect>(['create', 'update', 'lifecycle', 'run']);
/** Verbs of a description that leave no doubt that an answer is what the tool makes. */
const ANSWERING = words('provide return explain describe guide show');
const GUIDANCE =
  /\b(?:guidance|guidelines?|guides?|instructions|runbook|documentation|best practices|step-by-step|advice)\b/i;

const READING = words('list search query view count diff preview guide');

const callsItselfReadOnly = ({ annotations, input }: ToolFacts): boolean =>
  annotations['readOnlyHint'] === true && BELIEVED.has(input.upstream.trust);

/** "Run a search" only searches where the name says so too; by itself "run" counts as running. */
function softenRun(facts: ToolFacts): ToolFacts {
  const [first, ...rest] = facts.description.matches;
  const reads = facts.name[0] !== undefined && readShare(facts.name[0].effect) > 0;
  if (first?.objectEffect === undefined || !reads || readShare(first.objectEffect) === 0) return facts;
  const matches = [{ ...first, effect: first.objectEffect }, ...rest];
  return { ...facts, description: { ...facts.description, matches } };
}

/** "Unassign: removes the user from the task" takes apart and removes nothing. */
function softenRemoval(facts: ToolFacts): ToolFacts {
  const detaches = facts.name.some(({ role, effect }) => role === 'lead' && effect === 'detach');
  if (!detaches) return facts;
  const matches = facts.description.matches.map((match) =>
    match.word === 'remove' ? { ...match, effect: 'detach' as const } : match,
  );
  return { ...facts, description: { ...facts.description, matches } };
}

/**
 * "Manage backups: schedules, status" of `pg_backups`, which takes only the name of an app: what can neither be said what to do
 * nor with what shows what it names.
 */
function softenManagement(facts: ToolFacts): ToolFacts {
  const { name, parameters, description } = facts;
  const [first, ...rest] = description.matches;
  const shows = name.length === 0 && parameters.length > 0 && parameters.every(selects);
  if (first?.effect !== 'manage' || !shows) return facts;
  return { ...facts, description: { ...description, matches: [{ ...first, effect: 'read' }, ...rest] } };
}

/** Whether a parameter only says which thing is meant. */
const selects = ({ key, text, boolean, values }: ParameterFacts): boolean =>
  text && !boolean && values.length === 0 && SELECTING.test(key);

const HEAD = inDescription('head', (word) => `description: verb '${word}'`);

/** Every rule, by what it looks at. `docs/classification.md` explains how they are weighed. */
export const RULES: readonly Rule[] = [
  {
    id: 'name-lead',
    looksAt: 'name',
    weight: 10,
    meaning: 'The verb of the name, at any place.',
    find: inName('lead', (word) => `name: verb '${word}'`, shareOfMaking),
  },
  {
    id: 'name-joined',
    looksAt: 'name',
    weight: 10,
    meaning: 'A further verb behind "or" or "and": get_or_create also creates.',
    find: inName('joined', (word) => `name: joined verb '${word}'`, shareOfMaking),
  },
  {
    id: 'name-likely',
    looksAt: 'name',
    weight: 7,
    meaning: 'A word that is also a noun, where it most likely is the verb.',
    find: inName('likely', (word) => `name: '${word}'`),
  },
  {
    id: 'name-possible',
    looksAt: 'name',
    weight: 2,
    meaning: 'A word that is mostly a noun and might be the verb.',
    find: inName('possible', (word) => `name: '${word}' perhaps`),
  },
  {
    id: 'name-next',
    looksAt: 'name',
    weight: 4,
    meaning: 'A verb of change right behind the verb that reads, or at the end: get_delete_token, read_receipt_send.',
    find: inName('next', (word) => `name: followed by '${word}', which`),
  },
  {
    id: 'name-noun',
    looksAt: 'name',
    weight: 4,
    meaning: 'The name has no verb and ends in a word for information.',
    // A value of a choice of actions is short: what is only a noun there stands for reading it.
    find: inName(
      'noun',
      (word) => `name: '${word}' is information and`,
      (_, { input }) => (input.groupValue === undefined ? undefined : 2.5),
    ),
  },
  {
    id: 'name-deed',
    looksAt: 'name',
    weight: 5,
    meaning: 'Its only verb is one of which no more is known than that it does something.',
    find: inName('deed', (word) => `name: verb '${word}'`),
  },
  {
    id: 'title-lead',
    looksAt: 'title',
    weight: 3,
    meaning: 'The verb of the title.',
    find: inName(
      'lead',
      (word) => `title: verb '${word}'`,
      (match, facts) => (isStray(match, facts) ? STRAY : undefined),
      'title',
    ),
  },
  {
    id: 'description-head',
    looksAt: 'description',
    weight: 8,
    meaning: 'The verb of the sentence that says what the tool does.',
    find: (facts) => HEAD(softenManagement(softenRemoval(softenRun(facts)))),
  },
  {
    id: 'description-information',
    looksAt: 'description',
    weight: 6,
    meaning: 'The first sentence names information and has no verb: "Current weather in a city".',
    find: inDescription('information', (word) => `description: names '${word}', which is information and`),
  },
  {
    id: 'description-deed',
    looksAt: 'description',
    weight: 6,
    meaning: 'The first sentence begins with a verb of which no more is known than that it does something.',
    find: inDescription(
      'deed',
      (word) => `description: verb '${word}'`,
      (facts) => {
        const [first] = facts.description.matches;
        const aside = first?.occasion === true && facts.name.some(isCertainRead) && plainlyReads(facts);
        if (aside) return STRAY;
        return first?.vague === true ? VAGUE_DEED : undefined;
      },
    ),
  },
  {
    id: 'description-joined',
    looksAt: 'description',
    weight: 8,
    meaning: 'A further verb of that sentence: "or creates it".',
    find: inDescription('joined', (word) => `description: joined verb '${word}'`),
  },
  {
    id: 'description-result',
    looksAt: 'description',
    wholeTool: true,
    weight: 4,
    meaning: 'What it returns is the result of a change: "Returns the created invoice".',
    find: ({ descriptionText, name }) =>
      !name.some(isCertainRead) && RESULT_OF_CHANGE.test(descriptionText)
        ? [{ effect: 'write', says: 'description: returns the result of a change' }]
        : [],
  },
  {
    id: 'description-handed-on',
    looksAt: 'description',
    wholeTool: true,
    weight: 8,
    meaning: 'What is exported is put where others get it: "is uploaded", "a shareable link".',
    find: ({ descriptionText, description: { matches } }) => {
      const [handed] = matches[0]?.effect === 'download' ? (HANDED_ON.exec(descriptionText) ?? []) : [];
      return handed === undefined
        ? []
        : [{ effect: 'publish', says: `description: '${handed}' ${EFFECTS.publish.phrase}` }];
    },
  },
  ...PARAMETER_RULES,
  {
    id: 'annotation-read-only',
    looksAt: 'annotations',
    weight: 12,
    meaning: 'readOnlyHint=true, weighed by trust; it does not outvote a plain write below community_reviewed.',
    find: ({ annotations, input }) => {
      const share = TRUST_IN_READ_ONLY[input.upstream.trust];
      return annotations['readOnlyHint'] === true && share > 0
        ? [{ effect: 'read', share, says: `annotation readOnlyHint=true (trust: ${input.upstream.trust})` }]
        : [];
    },
  },
  {
    id: 'annotation-writes',
    looksAt: 'annotations',
    weight: 4,
    meaning: 'readOnlyHint=false: the author says that it changes something.',
    find: ({ annotations }) =>
      annotations['readOnlyHint'] === false ? [{ effect: 'write', says: 'annotation readOnlyHint=false' }] : [],
  },
  {
    id: 'annotation-destructive',
    looksAt: 'annotations',
    weight: 5,
    meaning: 'destructiveHint=true (meaningful only beside readOnlyHint=false, as MCP says).',
    find: ({ annotations }) =>
      annotations['destructiveHint'] === true && annotations['readOnlyHint'] !== true
        ? [{ effect: 'write', says: 'annotation destructiveHint=true' }]
        : [],
  },
];
