import type { ParameterFacts, ToolFacts } from './facts.js';
import type { Rule, RuleMatch } from './rule.js';
import { type Effect, readShare, setOfWords } from './words/lexicon.js';
import { PEOPLE } from './words/verb-senses.js';

/**
 * Tools whose verb reads, and whose object, place or reader makes a deed of it: "Obtains a lock", "Explains an absence to the
 * teacher", "Summarizes a channel on a wiki page". Each is evidence of a write as plain as a verb.
 */

const NOTHING: readonly never[] = [];

/** Verbs that say something; to whom, and whose words, tells whether they answer or send. */
const SAYING = setOfWords(
  'show display explain describe suggest ask tell recommend advise hint read render guide find',
);
/** Parameters that hold what their caller says. A question, a code or a prompt is what is asked about. */
const SAID =
  /^(?:text|message|caption|reason|hint|comment|note|notes|remark|announcement|greeting|explanation|apology)$/;
/** What only says how something is said. */
const MANNER = /^(?:tone|style|language|lang|format|length|max_\w+|model|audience|level|voice|context|title)$/;

/** Who is nobody else than the reader of the answer. */
const READERS = setOfWords('user users human humans person people client clients team host hosts');
const OTHERS = [...PEOPLE].filter((one) => !READERS.has(one)).join('|');
/** "Shows a hint to the players", "Shows the seller that you are interested". */
const TO_OTHERS = new RegExp(
  `\\bto (?:the|an?|its|your|their|all|every) (?:\\w+'s )?(?:${OTHERS})\\b|^\\w+ (?:the|an?|your|its|all|every) (?:${OTHERS}) (?:that|how|what|where|whether|an?|the)\\b`,
  'i',
);
/** Where others find it: "in words that others will see", "on the sign". */
const ON_DISPLAY =
  /\b(?:others (?:will|can) see|(?:on|to|over|through) (?:the|an?|your|its|all) (?:\w+ )?(?:sign|signs|billboard|speaker|speakers|loudspeakers?|wall|noticeboard|board|wiki|wiki page|channel|scoreboard|big screen|led matrix)\b|out loud|aloud)/i;

/** What is got only by taking it, or by making somebody give it. */
const OBTAINS =
  /^(?:(?:get|obtain|acquire|fetch|request)s? (?:(?:an?|the|exclusive|written|\w+'s) )*(?:(?:lock|lease|mutex|semaphore) (?:on|for)\b|(?:approval|consent|permission|agreement|signatures?|sign-off) from\b)|(?:gather|collect|secure|seek|claim)s? (?:(?:an?|the|all|any|outstanding|unused|written|\w+'s) )*(?:locks?|leases?|approvals?|consents?|permission|agreement|signatures?|sign-offs?|payments?|fees?|debts?|donations?|taxes|fares?|garbage|rubbish|waste|trash)\b)/i;
/** "Makes them invisible", "by making it ring": somebody or something is made to do it. */
const CAUSES = /\b(?:mak(?:es?|ing)|hav(?:e|ing)|let(?:s|ting)) (?:it|them|him|her)\b/i;
/** "Views a story; its author sees that you did": reading leaves a trace. */
const LEAVES_TRACE =
  /\bsees? that\b|\b(?:uses? it up|is used up|are used up|is consumed|are consumed|is then (?:gone|spent|locked|hidden|held)|are then (?:gone|spent|locked|hidden|held))\b|, (?:\w+ and )?(?:held|reserved|booked|locked|posted|charged|billed|mailed|printed)\b/i;
/** Behind "to" at the end of a name they are where something is put: `summarize_to_wiki`. */
const PLACES = setOfWords(
  'wiki channel board sheet spreadsheet slack email inbox disk drive calendar notion database table queue bucket clipboard printer screen page memory notes crm blog feed',
);

/** "Returns a book to the library", but neither "Returns the answer to the caller" nor "Returns the path to the file". */
const GIVES_BACK =
  /^returns? (?:an?|the|all|one|some|borrowed|rented|unused)\b.{0,40}\bto (?:(?:the|its|their|an?) )?(?:sender|owner|shelf|library|store|seller|supplier|vendor|stock|depot|pool|warehouse|lender|shop|manufacturer|rack|kennel|sea|wild)\b/i;

function leadsByReading({ name, description }: ToolFacts): boolean {
  const effects: readonly (Effect | undefined)[] = [
    name.find(({ role }) => role === 'lead')?.effect,
    description.matches.find(({ role }) => role === 'head')?.effect,
  ];
  return effects.some((effect) => effect !== undefined && readShare(effect) > 0);
}

/** What is looked up in a place is there already: "List cards on the board". */
const looksUp = ({ name, description }: ToolFacts): boolean =>
  [...name.slice(0, 1), ...description.matches.slice(0, 1)].some(({ word }) => LOOKING_UP.has(word));
const LOOKING_UP = setOfWords('get list fetch find search read view retrieve count query lookup check');

const says = ({ name, description }: ToolFacts): boolean =>
  [...name.slice(0, 1), ...description.matches.slice(0, 1)].some(({ word }) => SAYING.has(word));

const isSaid = ({ key, required, text }: ParameterFacts): boolean => required && text && SAID.test(key);

/** The words of its caller, beside what or whom they are for. */
function findSaid({ parameters }: ToolFacts): ParameterFacts | undefined {
  const further = parameters.some((one) => one.required && !isSaid(one) && !MANNER.test(one.key));
  return further ? parameters.find(isSaid) : undefined;
}

const because = (reason: string | undefined): readonly RuleMatch[] =>
  reason === undefined ? NOTHING : [{ effect: 'write', says: reason }];

const inMain =
  (pattern: RegExp, wording: string) =>
  (facts: ToolFacts): readonly RuleMatch[] => {
    const found = leadsByReading(facts) ? pattern.exec(facts.description.main) : null;
    return because(found === null ? undefined : `description: '${found[0].trim()}' ${wording}`);
  };

/** What a read may hide; one sign is enough to make it a doubt. */
export const TWO_FACED_RULES: readonly Rule[] = [
  {
    id: 'parameter-said',
    looksAt: 'parameters',
    wholeTool: true,
    weight: 9,
    meaning: 'What shows or explains something, and is given the words and for whom, sends them: explain_absence.',
    find: (facts) => {
      const said = leadsByReading(facts) && says(facts) ? findSaid(facts) : undefined;
      return because(said && `parameter '${said.name}' is what it says for its caller`);
    },
  },
  {
    id: 'description-recipient',
    looksAt: 'description',
    wholeTool: true,
    weight: 9,
    meaning: 'What is shown or told to somebody else is sent: "Shows a hint to the players".',
    find: (facts) => (says(facts) ? inMain(TO_OTHERS, 'tells others')(facts) : NOTHING),
  },
  {
    id: 'description-place',
    looksAt: 'description',
    wholeTool: true,
    weight: 9,
    meaning: 'What is put where others see it is published: "on a wiki page".',
    find: (facts) => (looksUp(facts) ? NOTHING : inMain(ON_DISPLAY, 'is where others find it')(facts)),
  },
  {
    id: 'description-obtains',
    looksAt: 'description',
    wholeTool: true,
    weight: 9,
    meaning: 'Locks, consents, payments and garbage are got by a deed: "Obtains a lock".',
    find: inMain(OBTAINS, 'takes it'),
  },
  {
    id: 'description-causes',
    looksAt: 'description',
    wholeTool: true,
    weight: 9,
    meaning: 'A read that makes something do something: "by making it ring".',
    find: inMain(CAUSES, 'changes what it finds'),
  },
  {
    id: 'description-trace',
    looksAt: 'description',
    wholeTool: true,
    weight: 9,
    meaning: 'A read that its object does not survive unchanged: "which is used up by it".',
    find: (facts) => {
      const found = leadsByReading(facts) ? LEAVES_TRACE.exec(facts.descriptionText.slice(0, 300)) : null;
      return because(found === null ? undefined : `description: '${found[0]}'`);
    },
  },
  {
    id: 'name-return',
    looksAt: 'name',
    wholeTool: true,
    weight: 9,
    meaning:
      'A name that begins with "return" gives something back, unless its description returns an answer: return_to_sender.',
    find: ({ words, description }) => {
      const answers = description.matches[0] !== undefined && readShare(description.matches[0].effect) > 0;
      const gives = answers ? GIVES_BACK.test(description.main) : words[0] === 'return' && words.length > 1;
      return because(gives ? "'return' gives something back" : undefined);
    },
  },
  {
    id: 'name-place',
    looksAt: 'name',
    wholeTool: true,
    weight: 9,
    meaning: 'A place behind "to" at the end of the name is where the answer is put: summarize_to_wiki.',
    find: (facts) => {
      const last = facts.words.at(-1) ?? '';
      const put = leadsByReading(facts) && facts.words.at(-2) === 'to' && PLACES.has(last);
      return because(put ? `name: '${last}' is where the answer is put` : undefined);
    },
  },
];
