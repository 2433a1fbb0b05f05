import { isJsonObject } from '../base/json/json.js';
import { type Category, type DangerLevel, type Risk, worseDanger } from '../base/protocol/operation.js';
import { type ArgumentField, readArgumentFields } from './argument-fields.js';
import { findDeciding } from './deciding.js';
import type { ToolFacts } from './facts.js';
import { losesBySwitch, losesByWord } from './judge-value.js';
import { DENIED, discardsSteps, LOSS, saidToBeKept } from './read-value.js';
import { lose, nameOf, type RiskContext, type RiskFinding, type RiskRule, switchedOn } from './risk-rule.js';
import { findFreeOperations, findValues, STATE } from './risky-values.js';
import { isPlural } from './text/noun-phrase.js';
import { EFFECTS, type Effect, LEXICON } from './words/lexicon.js';
import { wordList } from './words/word-lists.js';

/** Words that say that a protection is overridden; what is only read cannot be lost by them. */
const FORCING = wordList('forcing');
/** First words of switches that choose what is shown, or that prevent the loss. */
const SHOWING = wordList('showing');
/** What is forced, replaced or removed beside these words is no loss. */
const HARMLESS = wordList('harmless');
/** Beside a losing word these leave no doubt that a READ removes what it reads. */
const AFTERWARDS = wordList('afterwards');
const UNPROTECTED =
  /^(?:skip|no|without|ignore|disable|suppress|auto)_(?:\w+_)?(?:approve|approval|confirm|confirmation|confirmations|prompt|prompts|backup|backups|safety|safeguards?|checks?|verify|verification|protections?|locks?)$/;
/** Parameters that hold the options of a command line, as one text or a list of them. */
const OPTIONS_LINE = /^(?:(?:extra|additional|other|cli|git|command|command_line)_)?(?:flags|switches)$/;
/** The same, unless the tool runs something, whose own arguments these are. */
const ARGUMENTS_LINE = /^(?:(?:cli|git|command|command_line)_)?(?:args|arguments)$/;
/** How the words of a command line begin that remove, overwrite or override a protection. */
const LOSING_OPTIONS = [...wordList('losing-options')];
/** The words of a tool's name that pushes with git, and not files or messages. */
const GIT_PUSH = wordList('git-push');
/** What is pushed: https://git-scm.com/docs/git-push */
const PUSHED_REFERENCE = wordList('pushed-reference');
/** `+main` overwrites the branch of the other side, and `:main` removes it. */
const LOSING_REFERENCE: readonly string[] = ['+', ':'];
const GONE = wordList('gone');
const FILE_NAME =
  /(?:^|_)(?:path|file|file_?name|filename|dir|directory|folder|output|destination|location)$|^(?:save_to|outfile|output_\w+)$/;
const OUTPUT_NAME =
  /^(?:save_(?:to|path|as|dir)|(?:out|output)_(?:path|file|dir|directory|file_?name|filename)|outfile|export_path|(?:dump|export|write|upload|store)_to|store_(?:in|as))$/;
const SAVING = /\b(?:saved?|writ(?:e|ten)|stored?|dump(?:ed)?|export(?:ed)?|download(?:ed)?|output)\b/i;
/** What is said of a folder that receives files; "output" alone may be what a build calls one. */
const KEEPING = /\b(?:saved?|writ(?:e|ten)|stored?|dump(?:ed)?|export(?:ed)?|download(?:ed)?)\b/i;
const SOURCE_NAME = /^(?:archive|source|src|input)(?:_|$)/;
const LOADING = /\b(?:read|load|upload|open|parse|attach|import|compare)\b/i;
/** Parameters that hold the whole content of what an UPDATE changes. */
const WHOLE_CONTENT = wordList('whole-content');
const DIALOGS = wordList('dialogs');
/** What an upload puts in the place of something that there is one of, such as a profile photo. */
const UPLOADED = wordList('uploaded');
const RESTORED = wordList('restored');
/** What is said of something is edited as a whole, and no work is lost with it. */
const REMARKS = wordList('remarks');
const CONSENT = /^(?:confirm|confirmed|confirmation|consent|acknowledge(?:ment)?)(?:_\w+)?$/;
const SAYS_DESTRUCTIVE = /\b(?:destructive|irreversible|dangerous|permanent(?:ly)?|data loss|cannot be undone)\b/i;
/** Switches that end the preparation of something, and how their description tells of the preparation. */
const FINAL_STEP = /^(?:submit|finali[sz]e|file|lodge|commit|sign|settle|execute|auto_(?:submit|finali[sz]e))$/;
const LEAVES_DRAFT =
  /\bimmediately\b|\b(?:if|when) (?:false|omitted|not set|unset)\b[^.]{0,80}\b(?:staged?|drafts?|prepared?|saved|kept|pending|held)\b|\bfinal\b|\bno longer be (?:changed|edited)/i;
/** What is stored under these names is often shown to nobody again. */
const HIDDEN_NOUNS = wordList('hidden-nouns');
const CREATE_ONLY = wordList('create-only');
const WRITING_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const SAYS_METHOD = /\bhttp (?:method|verb)\b|\b(?:method|verb) of the (?:http )?request\b/i;
const ADDRESSED = /^(?:url|uri|endpoint|path|route|api_path|href)$/;
const CONDITION = wordList('condition');
/** How many of something run. */
const AMOUNT_RUNNING =
  /^(?:replicas?|(?:desired|target|min|max)_(?:replicas|count|size|capacity|instances)|desired_count|instances?|instance_count|node_count|capacity|num_(?:replicas|workers|nodes)|workers?|worker_count)$/;
/** Parameters that select what is changed. */
const SELECTION = wordList('selection');
/** Words of a name that concern many things at once. */
const BULK = wordList('bulk');
/** What is said of a list whose missing entries are lost. */
const LEFT_OUT =
  /\b(?:not (?:provided|listed|included|given|present|specified|in the list)|left out|missing|omitted|absent)\b[^.]{0,60}\b(?:removed|deleted|dropped|lost|cleared)\b/i;

const RISK_RULES: readonly RiskRule[] = [
  {
    id: 'aggregation-stage',
    apart: true,
    find: (field, { facts }) =>
      field.path.length === 1 && mayHoldPipeline(field, facts)
        ? {
            when: { holds: ['$out', '$merge'] },
            ...lose(field, 'may hold a stage ($out, $merge) that replaces a collection'),
          }
        : undefined,
  },
  {
    id: 'create-only',
    find: (field, { category }) =>
      category === 'CREATE' && field.boolean && CREATE_ONLY.has(field.key)
        ? { when: { unless: [true] }, ...lose(field, 'is what keeps the call from replacing what exists') }
        : undefined,
  },
  {
    id: 'discarded-steps',
    find: ({ boolean, key, values, path }, { category, keys }) => {
      const lost = path.length > 1 || category === 'READ' ? [] : values.filter((value) => discardsSteps(value, values));
      const is = boolean && keys.has('continue') && discardsSteps(key, ['continue']) ? [true] : lost;
      return is.length === 0
        ? undefined
        : { when: { is }, danger: 'destructive', reason: `parameter '${key}' may discard what 'continue' would keep` };
    },
  },
  {
    id: 'http-method',
    find: (field, { keys }) => {
      const { key, path, values, text, description } = field;
      const says = SAYS_METHOD.test(description);
      if (!says && !/^(?:(?:http|request)_)?(?:method|verb)$/.test(key)) return undefined;
      const addressed = says || path.length > 1 || [...keys].some((one) => ADDRESSED.test(one));
      if (text && values.length === 0)
        return addressed
          ? { when: { loses: 'method', listed: [] }, ...lose(field, 'may be a method that writes') }
          : undefined;
      const writes = values.filter((value) => WRITING_METHODS.includes(value.toUpperCase()));
      const isMethod = writes.length > 0 && values.some((value) => /^(?:get|head)$/i.test(value));
      return isMethod ? { when: { is: writes }, ...lose(field, 'may be a method that writes') } : undefined;
    },
  },
  { id: 'value', find: findValues },
  {
    id: 'state',
    of: 'writes',
    find: (field, { category }) =>
      category !== 'CREATE' && field.text && field.values.length === 0 && STATE.test(field.key)
        ? { when: { loses: 'state', listed: [] }, ...lose(field, 'may name a state that is left for good') }
        : undefined,
  },
  {
    id: 'none-left',
    of: 'writes',
    find: (field) =>
      !field.text && AMOUNT_RUNNING.test(field.key)
        ? { when: { is: [0] }, ...lose(field, 'may leave nothing running') }
        : undefined,
  },
  { id: 'everything', of: 'writes', find: findSelection },
  {
    id: 'acting-read',
    of: 'reads',
    find: (field, { facts }) => {
      const acts = field.boolean && !isTrial(facts);
      const verb = acts ? actionBesideReading(field) : undefined;
      return (
        verb && { when: { is: [true] }, danger: verb.danger, reason: `parameter '${nameOf(field)}' ${verb.phrase}` }
      );
    },
  },
  {
    id: 'demanded-consent',
    of: 'writes',
    find: (field) =>
      field.text && CONSENT.test(field.key) && SAYS_DESTRUCTIVE.test(field.description)
        ? { when: { present: true }, ...lose(field, 'is what its author demands for a destructive call') }
        : undefined,
  },
  {
    id: 'final-step',
    of: 'writes',
    find: (field) =>
      field.boolean && FINAL_STEP.test(field.key) && LEAVES_DRAFT.test(field.description)
        ? { when: switchedOn(field, false), ...lose(field, 'hands over for good what is only prepared without it') }
        : undefined,
  },
  {
    id: 'hidden-value',
    of: 'writes',
    find: (field, { facts: { words } }) =>
      field.path.length === 1 &&
      /^(?:value|new_value|(?:secret|variable|env)_value)$/.test(field.key) &&
      words.some((word) => word === 'set' || word === 'put') &&
      words.some((word) => HIDDEN_NOUNS.has(word))
        ? { when: { present: true }, ...lose(field, 'replaces a value that may be stored nowhere else') }
        : undefined,
  },
  {
    id: 'switch',
    find: (field, { category, facts }) => {
      if (!field.boolean || field.values.length > 0) return undefined;
      const reads = category === 'READ';
      if (
        !(reads
          ? removesWhatItReads(field) && !isTrial(facts)
          : (losesByName(field) && !(CONSENT.test(field.key) && onlyAdds(facts))) ||
            (GONE.has(field.key) && category !== 'CREATE'))
      )
        return undefined;
      return {
        when: switchedOn(field, reads),
        ...lose(field, 'switches on what removes, overwrites or overrides a protection'),
      };
    },
  },
  {
    id: 'losing-option',
    of: 'writes',
    find: (field, { category, facts }) =>
      isFreeText(field) &&
      (OPTIONS_LINE.test(field.key) ||
        ((category !== 'EXECUTE' || facts.name.some(({ word }) => word === 'push')) && ARGUMENTS_LINE.test(field.key)))
        ? { when: { begins: LOSING_OPTIONS }, ...lose(field, 'may hold an option that removes, overwrites or forces') }
        : undefined,
  },
  {
    id: 'pushed-reference',
    of: 'writes',
    find: (field, { facts: { words } }) =>
      words.includes('push') &&
      words.every((word) => GIT_PUSH.has(word)) &&
      isFreeText(field) &&
      PUSHED_REFERENCE.has(field.key)
        ? {
            when: { begins: LOSING_REFERENCE },
            ...lose(field, 'overwrites or removes what it names with + or : before'),
          }
        : undefined,
  },
  { id: 'described-switch', find: findDescribedSwitch },
  {
    id: 'file',
    apart: true,
    find: (field, { category }) => {
      if (!field.text || field.values.length > 0) return undefined;
      if (!FILE_NAME.test(field.key) && !OUTPUT_NAME.test(field.key)) return undefined;
      const isFolder = /(?:dir|directory|folder)$/.test(field.key);
      const written = (isFolder ? KEEPING : SAVING).test(field.description) && !LOADING.test(field.description);
      // A folder that a change requires is where it works; a READ writes only where it is given one.
      const named = OUTPUT_NAME.test(field.key) && (!isFolder || category === 'READ');
      const writes = written ? !SOURCE_NAME.test(field.key) : named;
      if (!writes || category === 'DELETE' || category === 'UPDATE') return undefined;
      return {
        when: { present: true },
        ...lose(field, 'names a file that is written, and overwritten where it exists'),
      };
    },
  },
  {
    id: 'written-form',
    apart: true,
    find: (field, { category }) => {
      const { path, values, description } = field;
      const reads = category === 'READ' && path.length === 1;
      const saved = reads ? values.filter((value) => saidToBeKept(description, value, values)) : [];
      return saved.length === 0
        ? undefined
        : {
            when: { is: saved },
            danger: 'reversible',
            reason: `parameter '${nameOf(field)}' may be '${saved[0]}', which writes a file`,
          };
    },
  },
  {
    id: 'removed-parts',
    of: 'writes',
    find: (field) => {
      const [first = ''] = field.words;
      const named =
        field.composite &&
        field.path.length <= 2 &&
        losesByWord(first) &&
        !field.words.some((word) => HARMLESS.has(word));
      return named ? { when: { present: true }, ...lose(field, 'lists what is removed') } : undefined;
    },
  },
  {
    id: 'whole-content',
    find: (field, { category, facts: { words } }) =>
      category === 'UPDATE' &&
      field.path.length === 1 &&
      !field.boolean &&
      (WHOLE_CONTENT.has(field.key) || (words.includes('upload') && UPLOADED.has(field.key))) &&
      !words.some((word) => REMARKS.has(word))
        ? { when: { present: true }, ...lose(field, 'replaces the whole content') }
        : undefined,
  },
  {
    id: 'accepted-dialog',
    of: 'writes',
    find: (field, { facts: { words } }) =>
      field.boolean && /^(?:accept|confirm)$/.test(field.key) && words.some((word) => DIALOGS.has(word))
        ? { when: switchedOn(field, false), ...lose(field, 'agrees to whatever the dialog asks') }
        : undefined,
  },
  {
    id: 'restored-files',
    of: 'writes',
    find: (field, { facts: { name } }) =>
      field.path.length === 1 &&
      field.composite &&
      RESTORED.has(field.key) &&
      name.some(({ word }) => word === 'checkout' || word === 'restore' || word === 'revert')
        ? { when: { present: true }, ...lose(field, 'are restored, which discards their changes') }
        : undefined,
  },
  {
    id: 'marking-read',
    of: 'reads',
    apart: true,
    find: (field) =>
      field.path.length === 1 &&
      field.boolean &&
      /^(?:mark_(?:as_)?(?:read|seen)|(?:auto_)?ack(?:nowledge)?|create_if_\w+|create_missing)$/.test(field.key)
        ? { when: { is: [true] }, danger: 'reversible', reason: `parameter '${nameOf(field)}' changes what is read` }
        : undefined,
  },
  {
    id: 'real-run',
    of: 'writes',
    apart: true,
    find: (field) =>
      field.boolean && field.onByDefault && /^(?:simulate|dry_?run|preview|validate_only)$/.test(field.key)
        ? {
            when: { is: [false] },
            ...lose(field, 'is on unless it is switched off, so the real run is meant to be rare'),
          }
        : undefined,
  },
];

const RULES_OF_READS = RISK_RULES.filter(({ of }) => of !== 'writes');
const RULES_OF_WRITES = RISK_RULES.filter(({ of }) => of !== 'reads');

/** Switches of a check or a computation belong to the change that it simulates. */
function isTrial({ name }: ToolFacts): boolean {
  const lead = name.find(({ role }) => role === 'lead');
  return lead?.effect === 'compute' || (lead?.effect === 'check' && lead.word !== 'check');
}

/** A text, or a list of texts, that may say anything. */
function isFreeText({ text, composite, described, values }: ArgumentField): boolean {
  return (text || (composite && !described)) && values.length === 0;
}

/** Whether the verb of the name loses nothing: what a server then demands consent for is any change. */
function onlyAdds({ name }: ToolFacts): boolean {
  return name.some(({ role, effect }) => role === 'lead' && ADDING.has(effect));
}

const ADDING: ReadonlySet<Effect> = new Set<Effect>(['create', 'add', 'send', 'interact']);

function losesByName({ key, words }: ArgumentField): boolean {
  if (UNPROTECTED.test(key)) return true;
  const [first = ''] = words;
  // `empty_before` empties, and `remove_empty` removes little.
  if (SHOWING.has(first) || words.some((word, index) => HARMLESS.has(word) && (word !== 'empty' || index > 0)))
    return false;
  return losesBySwitch(words) || words.some((word) => FORCING.has(word));
}

function actionBesideReading({ key, words }: ArgumentField): { danger: DangerLevel; phrase: string } | undefined {
  const [first = '', ...rest] = words;
  if (key === 'auto_approve') return { danger: 'destructive', phrase: 'overrides a protection' };
  if (words.some((word) => HARMLESS.has(word))) return undefined;
  const { effect, nounness } = LEXICON.get(first) ?? {};
  // An answer may be truncated, too.
  if (effect === undefined || nounness !== 'never' || !ACTING.has(effect) || first === 'truncate') return undefined;
  const { danger, phrase } = EFFECTS[effect];
  // What is deleted or purged is so whatever stands behind it; "remove" and other verbs may be about what is read.
  const isPlain = first === 'delete' || effect === 'purge';
  if (!isPlain && !rest.every((word) => AFTERWARDS.has(word) || CONDITION.has(word))) return undefined;
  return { danger: worseDanger('reversible', danger), phrase };
}

/** Effects that a switch of a READ has beside reading. */
const ACTING = wordList('acting-effects');

function removesWhatItReads({ words }: ArgumentField): boolean {
  return words.some(removes) && words.every((word) => removes(word) || AFTERWARDS.has(word));
}

/** Selections of what is changed, and lists that replace others: what leaves nothing out concerns everything. */
function findSelection(field: ArgumentField, { facts, keys }: RiskContext): RiskFinding | undefined {
  const { boolean, key, text, composite, values, words, description } = field;
  if (field.path.length > 1 || values.length > 0 || (boolean && !composite && !text)) return undefined;
  const said = `${description} ${facts.descriptionText.slice(0, 1_000)}`;
  if (composite && isPlural(words.at(-1) ?? '') && LEFT_OUT.test(said))
    return { when: { selects: 'everything', whenEmpty: true }, ...lose(field, 'removes whatever it leaves out') };
  if (!concernsMany(facts, keys)) return undefined;
  const selects = SELECTION.has(key);
  const names = text && isPlural(words.at(-1) ?? '') && facts.words.includes(words.at(-1) ?? '');
  return selects || names
    ? { when: { selects: 'everything', whenEmpty: selects }, ...lose(field, 'may select everything') }
    : undefined;
}

/** An answer may be truncated, too. */
const removes = (word: string): boolean => word !== 'truncate' && losesByWord(word);

/** What a switch removes from what is shown, and not from what is kept. */
const OF_ANSWER =
  /\b(?:results?|responses?|outputs?|answers?|texts?|contents?|lists?|html|markdown|elements?|images?|ads?|formatting|characters|spaces?|includ\w*|return\w*|show\w*|display\w*|format\w*|filter\w*|cache\w*)\b/i;

/** What the description says that true, or false, makes of a call. */
function findDescribedSwitch(field: ArgumentField, { category, facts }: RiskContext): RiskFinding | undefined {
  const reads = category === 'READ';
  if (reads && (isTrial(facts) || OF_ANSWER.test(field.description))) return undefined;
  if (!field.boolean || field.text || SHOWING.has(field.words[0] ?? '')) return undefined;
  if (field.words.some((word) => HARMLESS.has(word) || word === 'simulate')) return undefined;
  for (const sentence of field.description.slice(0, 600).split(/[.;]\s/)) {
    let before = '';
    for (const part of sentence.split(/\s\(/)) {
      const loss = LOSS.exec(part);
      const said = `${before} ${part.slice(0, loss?.index)}`;
      before = said;
      if (loss === null || DENIED.test(part.slice(0, loss.index))) continue;
      // What stands in brackets explains what is said before them: "Set false to start anew (drops the state)".
      const off = /\bfalse\b/i.test(said);
      return { when: off ? { is: [false] } : switchedOn(field, reads), ...lose(field, `is described by '${loss[0]}'`) };
    }
  }
  return undefined;
}

function mayHoldPipeline(
  { words, composite, text: isText, values }: ArgumentField,
  { input, descriptionText, words: name }: ToolFacts,
): boolean {
  const named = composite
    ? words.some((word) => /^(?:pipelines?|stages?|aggregat\w*|target)$/.test(word))
    : isText && values.length === 0 && words.some((word) => /^(?:pipelines?|stages)$/.test(word));
  return named && /mongo|aggregat/i.test(`${input.upstream.slug} ${name.join(' ')} ${descriptionText}`);
}

/** What lies deeper is a detail of what is changed. */
const DEEPEST = 4;
/** No honest tool needs more. */
const MOST_RISKS = 32;

/** Finds the arguments with which a call of this tool does more than its category and danger say. */
export function findRisks(facts: ToolFacts, category: Category): readonly Risk[] {
  if (category === 'DELETE') return [];
  const schema = facts.input.tool['inputSchema'];
  if (!isJsonObject(schema)) return [];
  const decided = new Set(findDeciding(facts).map(({ parameter }) => parameter));
  const chosen = facts.grouping?.parameter ?? facts.input.groupValue?.parameter;
  // What chooses the effect, or is judged by its value in each call, is no further argument.
  const fields = readArgumentFields(schema).filter(
    ({ path: [first = '', ...rest] }) =>
      rest.length < DEEPEST && (rest.length > 0 || (first !== chosen && !decided.has(first))),
  );
  const keys = new Set(fields.flatMap(({ key, path }) => (path.length === 1 ? [key] : [])));
  const context = { category, facts, keys };
  const rules = category === 'READ' ? RULES_OF_READS : RULES_OF_WRITES;
  const found = fields.flatMap((field): readonly Risk[] => {
    for (const { find, apart } of rules) {
      const finding = find(field, context);
      if (finding !== undefined) return [{ path: field.path, ...finding, ...(apart !== true && { simulated: true }) }];
    }
    return category === 'READ' ? [] : findFreeOperations(field);
  });
  return found.slice(0, MOST_RISKS);
}

/** Whether the tool concerns many things at once. */
function concernsMany({ words, descriptionText }: ToolFacts, keys: ReadonlySet<string>): boolean {
  return (
    words.some(
      (word) => BULK.has(word) || (isPlural(word) && !/^(?:status|address|access|canvas|dns|alias)$/.test(word)),
    ) ||
    [...keys].some((key) => /^(?:many|multi|multiple|bulk|all|batch)$/.test(key)) ||
    /\bby (?:tag|label|quer|filter)|\ball (?:\w+ )?(?:that|which|match)/i.test(descriptionText.slice(0, 300))
  );
}
