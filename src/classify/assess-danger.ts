import {
  type Category,
  type DangerAssessment,
  type DangerLevel,
  dangerRank,
  worseDanger,
} from '../base/protocol/operation.js';
import { UNDERSTOOD } from './confidence.js';
import type { Decision } from './decide-category.js';
import { effectOfValue, type ParameterFacts, type ToolFacts } from './facts.js';
import { descriptionOf, discardsSteps, saidToLose } from './read-value.js';
import type { Signal } from './rule.js';
import { firstSentence } from './runner.js';
import { findVerb, senseOf } from './words/find-verb.js';
import { EFFECTS, type Effect, LEXICON, writeShare } from './words/lexicon.js';
import { findOtherVerb } from './words/other-verbs.js';
import { ACTION_NOUNS, BULK_WORDS, MONEY_NOUNS, splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

/** The danger of a category when nothing else is known (companion document "danger levels"). */
const DEFAULT_DANGER: Readonly<Record<Category, DangerLevel>> = {
  READ: 'safe',
  CREATE: 'reversible',
  UPDATE: 'reversible',
  EXECUTE: 'reversible',
  DELETE: 'destructive',
};

interface DangerReason {
  readonly level: DangerLevel;
  readonly reason: string;
}

/** One reason to rate an operation as more dangerous than its category. */
interface DangerRule {
  readonly id: string;
  readonly find: (facts: ToolFacts, decision: Decision) => readonly DangerReason[];
}

/** The specification's patterns on operation names; the highest match wins. */
export const NAME_PATTERNS: readonly {
  readonly pattern: RegExp;
  readonly shown: string;
  readonly level: DangerLevel;
}[] = [
  { pattern: /^drop_/, shown: 'drop_*', level: 'forbidden' },
  { pattern: /^delete_all/, shown: 'delete_all*', level: 'forbidden' },
  { pattern: /^truncate_/, shown: 'truncate_*', level: 'forbidden' },
  { pattern: /^reset_/, shown: 'reset_*', level: 'forbidden' },
  { pattern: /^destroy_/, shown: 'destroy_*', level: 'forbidden' },
  { pattern: /^wipe_/, shown: 'wipe_*', level: 'forbidden' },
  { pattern: /_production$/, shown: '*_production', level: 'forbidden' },
  { pattern: /^force_/, shown: 'force_*', level: 'dangerous' },
  { pattern: /_permanently$/, shown: '*_permanently', level: 'dangerous' },
  { pattern: /^bulk_delete/, shown: 'bulk_delete*', level: 'dangerous' },
  { pattern: /^override_/, shown: 'override_*', level: 'dangerous' },
  { pattern: /^bypass_/, shown: 'bypass_*', level: 'dangerous' },
  { pattern: /_without_backup$/, shown: '*_without_backup', level: 'dangerous' },
  { pattern: /^purge_/, shown: 'purge_*', level: 'dangerous' },
];

/** The weight from which a verb raises danger; lower than what decides a category. */
const CLEAR = 6;
const RISKY: ReadonlySet<DangerLevel> = new Set(['destructive', 'dangerous', 'forbidden']);

/** Phrases of a description that announce a loss; a negation before them cancels it. */
const LOSS =
  /(?<!(?:\bnot|n't|\bwithout|\bnever|\bno|\binstead of)\s(?:\w+\s)?)\b(?:permanent(?:ly)?\b|for good\b|(?:is|are) (?:then )?(?:gone|lost)\b|disappears?\b|irreversibl[ey]|irrevocabl[ey]|(?:cannot|can't|can not) be (?:undone|reversed|recovered|restored)|overwrit(?:es?|ing|ten)\b|destroys?\b|will be (?:lost|deleted|erased|wiped|overwritten|removed)|replaces? (?:all|the (?:entire|whole|full|contents?|content|existing)|existing|every|any existing|its)|data loss(?! prevention))/i;

/** Before a loss they say that it depends on an argument or another tool, which the danger of a call is for, or is only possible. */
const CONDITIONAL =
  /\b(?:if|when|unless|otherwise|set|pass|optionally|instead|may|might|could|supplying|passing|providing|setting|specifying)\b/i;

/** The first phrase that announces a loss of every call. */
function findLoss(text: string): string | undefined {
  if (!LOSS.test(text)) return undefined;
  for (const sentence of text.split(/(?<=[.!?])\s|\n/)) {
    const loss = LOSS.exec(sentence);
    if (loss !== null && !CONDITIONAL.test(sentence.slice(0, loss.index))) return loss[0];
  }
  return undefined;
}

const READ_WRITES_FILE = /^(?:file_?name|save_to|output_(?:path|file|dir)|save_path|output|outfile)$/;

const REPLACE_SWITCH =
  /^(?:overwrite\w*|replace|force|create_only|if_not_exists|only_if_missing|fail_if_exists|no_clobber|no_overwrite|exclusive|upsert)$/;
const REFUSES_EXISTING =
  /\b(?:fails?|error|refuses?) (?:if|when|where)\b[^.]*\bexists?\b|\bmust not (?:already )?exist\b/i;
/** Parameters that select what a bulk update changes. */
const SELECTING = /^(?:conditions?|where|where_clause|filters?|selectors?|query|match|criteria)$/;

/** Every reason that raises danger; none lowers it. */
export const DANGER_RULES: readonly DangerRule[] = [
  {
    id: 'name-pattern',
    find: (facts) =>
      NAME_PATTERNS.filter(({ pattern }) => pattern.test(ownName(facts))).map(({ shown, level }) => ({
        level,
        reason: `name matches '${shown}'`,
      })),
  },
  {
    id: 'name-end',
    find: ({ words, name }) => {
      const verb = words.length > 1 && name[0]?.role !== 'lead' ? findOtherVerb(words[0] ?? '') : undefined;
      return verb?.effect === 'end' && verb.form === 'base'
        ? [{ level: 'destructive', reason: `name: '${verb.lemma}' ${EFFECTS.end.phrase}` }]
        : [];
    },
  },
  {
    // What begins, schedules, asks for or agrees to a deed leads to it: `confirm_delete`, "Requests the deletion of an account".
    id: 'led-deed',
    find: ({ words, descriptionText }) => {
      const [clause = ''] = firstSentence(descriptionText)
        .toLowerCase()
        .split(/[,;:(]/);
      const tokens = clause.split(/[^a-z-]+/);
      const end = tokens.findIndex((token) => PREPOSITIONS.has(token));
      const deed = findLedDeed(words, words) ?? findLedDeed(end < 0 ? tokens : tokens.slice(0, end), words);
      return deed === undefined ? [] : [{ level: 'destructive', reason: `leads to '${deed}'` }];
    },
  },
  {
    id: 'runner',
    find: (_facts, { runner }) => (runner === undefined ? [] : [{ level: 'destructive', reason: `runs ${runner}` }]),
  },
  {
    id: 'later-removal',
    find: ({ description: { matches } }, { category }) =>
      matches
        .filter(({ role, effect }) => role === 'later' && isRemoval(effect) && category !== 'READ')
        .map(({ word, effect }) => ({
          level: 'destructive',
          reason: `description: later verb '${word}' ${EFFECTS[effect].phrase}`,
        })),
  },
  {
    id: 'plain-effect',
    find: ({ parameters }, { signals }) =>
      signals
        .filter(({ weight, effect }) => (weight >= CLEAR || effect === 'end') && RISKY.has(EFFECTS[effect].danger))
        .filter(({ effect }) => !REPLACING.has(effect) || !isVersioned(parameters))
        .filter(({ effect }) => effect !== 'upsert' || !parameters.some(choosesToReplace))
        .map(({ effect, says }) => ({ level: EFFECTS[effect].danger, reason: says })),
  },
  {
    id: 'group-values',
    find: ({ grouping }) => (grouping?.values ?? []).flatMap(valueReasons),
  },
  {
    id: 'group-value',
    find: (facts) => groupValueReasons(facts),
  },
  {
    id: 'bulk-removal',
    find: ({ words }, { signals }) => {
      const bulk = words.find((word, index) => BULK_WORDS.has(word) || (word === 'all' && removes(words[index - 1])));
      const removal = signals.some(({ rule, effect }) => rule.looksAt === 'name' && isRemoval(effect));
      return bulk !== undefined && removal ? [{ level: 'dangerous', reason: `name: removes in bulk ('${bulk}')` }] : [];
    },
  },
  {
    id: 'not-understood',
    find: (_facts, { confidence }) =>
      confidence < UNDERSTOOD
        ? [{ level: 'destructive', reason: `understood too little (confidence ${Math.round(confidence * 100)} %)` }]
        : [],
  },
  {
    id: 'existing-file',
    find: ({ words, parameters, descriptionText }, { category }) => {
      if (!words.includes('file') || parameters.some(choosesToReplace) || isVersioned(parameters)) return [];
      if (words[0] === 'append' || words[0] === 'prepend') return [];
      // What is created within a thing with an id is an entry of a service, which refuses a second one.
      if (parameters.some(({ key }) => /_id$/.test(key))) return [];
      const writes = parameters.some(({ key }) => /^(?:contents?|data|text)$/.test(key));
      const names = parameters.some(({ key, text }) => text && /(?:^|_)(?:path|file_?name)$/.test(key));
      return category === 'CREATE' && writes && names && !REFUSES_EXISTING.test(descriptionText)
        ? [{ level: 'destructive', reason: 'writes a file, and replaces one that exists' }]
        : [];
    },
  },
  {
    id: 'bulk-update',
    find: ({ parameters }, { category }) => {
      const selecting = parameters.find(({ key, boolean }) => !boolean && SELECTING.test(key));
      const identified = parameters.some(({ key }) => /(?:^|_)(?:ids?|uuids?|keys?)$/.test(key));
      return category === 'UPDATE' && selecting !== undefined && !identified
        ? [{ level: 'destructive', reason: `changes everything that '${selecting.name}' selects` }]
        : [];
    },
  },
  {
    id: 'money',
    find: ({ words, parameters, name }, { category }) => {
      const last = words.at(-1) ?? '';
      const commits = category !== 'DELETE' && MONEY_NOUNS.has(last);
      if (commits) return [{ level: 'destructive', reason: `name: '${last}' moves money irreversibly` }];
      // An amount that goes to somebody, unless it is only recorded.
      const amount = parameters.find(({ key }) => AMOUNT.test(key));
      const to = parameters.find(({ key }) => PAYEE.test(key));
      const drives = name.some(({ role, effect }) => role === 'lead' && MOVING.has(effect));
      return category !== 'DELETE' && drives && amount !== undefined && to !== undefined
        ? [{ level: 'destructive', reason: `moves '${amount.name}' to '${to.name}'` }]
        : [];
    },
  },
  {
    id: 'announced-loss',
    find: ({ descriptionText, input }) => {
      const phrase = input.groupValue === undefined ? findLoss(descriptionText) : undefined;
      return phrase === undefined ? [] : [{ level: 'destructive', reason: `description says '${phrase}'` }];
    },
  },
  {
    id: 'annotation-destructive',
    find: (facts, decision) =>
      facts.annotations['destructiveHint'] === true && !isPlainlyHarmless(facts, decision)
        ? [{ level: 'destructive', reason: 'annotation destructiveHint=true' }]
        : [],
  },
];

/**
 * Whether name and description plainly say what is done, and all that they say destroys nothing. MCP calls every change
 * destructive that is not "only additive", so that the hint then says no more than "update" does.
 */
function isPlainlyHarmless(facts: ToolFacts, { signals, runner, confidence }: Decision): boolean {
  const { grouping, input } = facts;
  if (runner !== undefined || confidence < UNDERSTOOD) return false;
  if (grouping !== null) return grouping.values.every(isHarmlessValue);
  const said = signals.filter(({ rule }) => rule.looksAt === 'name' || rule.looksAt === 'description');
  const plain = new Set(said.filter(isClearWrite).map(({ rule }) => rule.looksAt));
  // A name that adds or sends needs no second witness, nor does one of several values that write, as the hint may mean another.
  const witnesses = said.some(addsByName) || (input.groupValue !== undefined && othersWrite(facts)) ? 1 : 2;
  return plain.size >= witnesses && said.every(isHarmless);
}

function isHarmlessValue(value: string): boolean {
  const effect = effectOfValue(value);
  return effect !== undefined && !RISKY.has(EFFECTS[effect].danger) && effect !== 'manage';
}

const isClearWrite = ({ weight, effect }: Signal): boolean => weight >= CLEAR && writeShare(effect) > 0;

function isHarmless({ effect, rule, word }: Signal): boolean {
  if (RISKY.has(EFFECTS[effect].danger) || effect === 'manage') return false;
  return rule.looksAt !== 'name' || word === undefined || !OPEN.has(word);
}

/** Whether a tool has further values that change something. */
function othersWrite({ input, choices }: ToolFacts): boolean {
  return choices.some((value) => {
    const effect = value === input.groupValue?.value ? undefined : effectOfValue(value);
    return effect !== undefined && writeShare(effect) > 0;
  });
}

const addsByName = ({ rule, effect }: Signal): boolean => rule.id === 'name-lead' && ADDITIVE.has(effect);
const ADDITIVE: ReadonlySet<Effect> = new Set<Effect>(['create', 'add', 'send', 'interact']);

/** Verbs that may replace or end anything, depending on what they are used on. */
const OPEN = wordList('open-verbs');

/** Effects that replace what was there, which a commit keeps. */
const REPLACING: ReadonlySet<Effect> = new Set<Effect>(['upsert', 'overwrite']);

/** Whether a change is recorded as a commit to a branch, which keeps what was there before. */
function isVersioned(parameters: readonly ParameterFacts[]): boolean {
  const has = (pattern: RegExp): boolean => parameters.some(({ key }) => pattern.test(key));
  return has(/^branch(?:_name)?$/) && has(/^(?:commit_)?message$/);
}

const AMOUNT = /^(?:amount|amount_\w+|sum|\w+_amount)$/;
const PAYEE =
  /^(?:to|(?:to|dest|destination|target)_?(?:account|wallet|address)\w*|recipient\w*|payee\w*|beneficiary\w*|iban)$/;
const MOVING: ReadonlySet<Effect> = new Set<Effect>(['lifecycle', 'send', 'pay', 'update', 'run', 'sync']);

/** The tool's own name: a part of a grouped tool has a name that the gateway made. */
function ownName({ input }: ToolFacts): string {
  return input.groupValue === undefined ? input.name : splitWords(String(input.tool['name'])).join('_');
}

/** Whether callers decide by a switch if something may be replaced. */
function choosesToReplace({ key, boolean }: ParameterFacts): boolean {
  return boolean && REPLACE_SWITCH.test(key);
}

/** What the texts say of one value of a grouped tool, and of one that ends a sequence of steps. */
function groupValueReasons({ input: { tool, groupValue }, choices: values }: ToolFacts): readonly DangerReason[] {
  if (groupValue === undefined) return [];
  const { parameter, value } = groupValue;
  const said = saidToLose(tool, descriptionOf(tool, parameter), value, values);
  return [
    ...(said === undefined ? [] : [{ level: 'destructive' as const, reason: `'${value}' is described by '${said}'` }]),
    ...(discardsSteps(value, values)
      ? [{ level: 'destructive' as const, reason: `'${value}' discards what 'continue' would keep` }]
      : []),
  ];
}

function valueReasons(value: string): readonly DangerReason[] {
  const effect = effectOfValue(value);
  if (effect === undefined) return [];
  const { danger, phrase } = EFFECTS[effect];
  return [{ level: danger, reason: `'${value}' is one of its values and ${phrase}` }];
}

/** Verbs that keep a deed from being done, or only speak of it. */
const SPARING = wordList('sparing');
const LOSSES: ReadonlySet<Effect> = new Set<Effect>(['delete', 'purge', 'reset', 'end']);
const STOPPING = /^(?:shutdown|poweroff|halt|terminate)$/;
const PREPOSITIONS = wordList('prepositions');

/** The deed of loss to which the verb in front leads, right behind it or at the end of its words. */
function findLedDeed([first = '', ...behind]: readonly string[], context: readonly string[]): string | undefined {
  const lead = findVerb(first);
  if (lead === undefined || writeShare(lead.effect) === 0 || SPARING.has(lead.lemma)) return undefined;
  const last = behind.length - 1;
  return behind.find((word, index) => (index === 0 || index === last) && losesAsDeed(word, context));
}

function losesAsDeed(word: string, context: readonly string[]): boolean {
  const verb = findVerb(ACTION_NOUNS.get(word) ?? word);
  if (verb === undefined) return false;
  return STOPPING.test(verb.lemma) || LOSSES.has(senseOf(verb, new Set(context)));
}

const isRemoval = (effect: Effect): boolean => effect === 'delete' || effect === 'purge';

function removes(word: string | undefined): boolean {
  const verb = LEXICON.get(word ?? '');
  return verb !== undefined && isRemoval(verb.effect);
}

/** Assesses the danger of an operation whose category is decided, with every reason for the level. */
export function assessDanger(facts: ToolFacts, decision: Decision): DangerAssessment {
  const { category } = decision;
  const found = category === 'READ' ? readReasons(facts) : DANGER_RULES.flatMap((rule) => rule.find(facts, decision));
  const base = { level: DEFAULT_DANGER[category], reason: `${category} is ${DEFAULT_DANGER[category]} by default` };
  const all = [base, ...found];
  const level = all.reduce<DangerLevel>((worst, reason) => worseDanger(worst, reason.level), 'safe');
  const reasons = all.filter((reason) => dangerRank(reason.level) === dangerRank(level)).map(({ reason }) => reason);
  return { level, reasons: [...new Set(reasons)] };
}

/** Names of what is kept from view. Environment variables hold keys and passwords. */
const SECRETS =
  /\b(?:secrets?|passwords?|passphrases?|credentials?|private keys?|api keys?|access keys?|env|env vars?|environment variables?|dotenv)$/;
/** What is said of secrets without showing them. */
const ABOUT = /^(?:list|count|check|validate|search|detect|scan|generate)\b/;

function showsSecrets(words: readonly string[]): boolean {
  const name = words.join(' ');
  return SECRETS.test(name.replace(/ values?$/, '')) && !(ABOUT.test(name) && !/\b(?:env|environment)\b/.test(name));
}

/**
 * A read that may write a file, or that its author does not call read-only, is not safe. It is never above reversible either:
 * what would be is no READ, and a call whose arguments make it more is none.
 */
function readReasons({ annotations, parameters, words }: ToolFacts): readonly DangerReason[] {
  const file = parameters.find(({ key, text }) => text && READ_WRITES_FILE.test(key));
  const reasons: DangerReason[] = [];
  if (showsSecrets(words)) reasons.push({ level: 'reversible', reason: 'name: shows secrets' });
  if (file !== undefined) reasons.push({ level: 'reversible', reason: `parameter '${file.name}' can write a file` });
  if (annotations['readOnlyHint'] === false)
    reasons.push({ level: 'reversible', reason: 'annotation readOnlyHint=false' });
  if (annotations['destructiveHint'] === true)
    reasons.push({ level: 'reversible', reason: 'annotation destructiveHint=true' });
  return reasons;
}
