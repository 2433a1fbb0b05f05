import { isJsonObject, type JsonSchema } from '../protocol/json.js';
import { type Category, type DangerLevel, dangerRank, type Risk, type RiskCondition } from '../protocol/operation.js';
import { followReference, readObjectFields } from '../schema/schema-shape.js';
import { effectOfValue, readConstants, type ToolFacts, typesOf } from './facts.js';
import { EFFECTS, writeShare } from './lexicon.js';
import { splitWords } from './vocabulary.js';

/** One parameter, or one member inside it, as far as risks need it. */
interface Field {
  readonly path: readonly string[];
  /** The name in lower case, its words joined by underscores. */
  readonly key: string;
  readonly words: readonly string[];
  readonly description: string;
  readonly boolean: boolean;
  readonly text: boolean;
  /** Whether it holds a list or an object. */
  readonly composite: boolean;
  /** The texts that it may be; empty where it is free. */
  readonly values: readonly string[];
  readonly onByDefault: boolean;
  /** Whether its own members are described. */
  readonly described: boolean;
}

interface Context {
  readonly category: Category;
  readonly facts: ToolFacts;
}

type Finding = Omit<Risk, 'path'>;

/** One way to recognise arguments that make a call more dangerous. The first rule that finds something counts. */
interface RiskRule {
  readonly id: string;
  readonly find: (field: Field, context: Context) => Finding | undefined;
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words of a switch's name that say that something is lost. */
const LOSING = setOf(
  `delete deletes deleting deletion remove removes removing prune purge overwrite overwrites overwriting cascade discard discards
    drop wipe erase destroy clear clears clearing reset obliterate expunge`,
);
/** Words that say that a protection is overridden; what is only read cannot be lost by them. */
const FORCING = setOf(
  'force forced forcibly hard permanent permanently unsafe override bypass confirm confirmed yes replace',
);
/** First words of switches that choose what is shown, or that prevent the loss. */
const SHOWING = setOf(
  `include includes show list only exclude with without keep preserve skip no dont not return fetch get prevent avoid is has can
    was detect warn ask require dry preview never`,
);
/** What is forced, replaced or removed beside these words is no loss. */
const HARMLESS = setOf(
  `refresh reload fetch refetch new rescan recompute recheck cache cached duplicates duplicate whitespace formatting matches
    occurrences images base64 nulls empty html tags label labels tag assignee assignees reviewer reviewers watcher watchers
    reaction reactions filter filters every signal retry
    shading border borders bullets style styles header headers console`,
);
/** Beside a losing word these leave no doubt that a READ removes what it reads. */
const AFTERWARDS = setOf(
  'after before on read reading fetch retrieval all force ack source stats state logs messages queue',
);
const UNPROTECTED =
  /^(?:skip|no|without|ignore|disable|suppress|auto)_(?:\w+_)?(?:confirm|confirmation|confirmations|prompt|prompts|backup|backups|safety|safeguards?|checks?|verify|verification|protections?|locks?)$/;
const GONE = /^(?:is_)?(?:in_trash|trashed|deleted|archived)$/;

/** What a description says that is lost. */
const LOSS =
  /\b(?:overwrit(?:e|es|ing)|discard(?:s|ing)?|delet(?:e|es|ing|ion)|remov(?:e|es|ing|al)|destroy(?:s|ing)?|wip(?:e|es|ing)|purg(?:e|es|ing)|eras(?:e|es|ing)|drops?|clears?|resets?|irreversibl[ey]|data loss|(?:cannot|can't) be (?:undone|recovered)|bypass(?:es|ing)? (?:\w+ ){0,2}(?:safety|checks?|protections?|confirmations?)|replac(?:e|es|ing) (?:all|any existing|existing|everything|the (?:entire|whole|existing)))\b/i;
const DENIED =
  /\b(?:not|never|without|instead of|no|prevent\w*|avoid\w*|preserv\w*|keep\w*|protect\w*|refus\w*|fail\w*|un(?:less|til)|labels?|tags?|whitespace|duplicates?)\b/i;

const FILE_NAME =
  /(?:^|_)(?:path|file|file_?name|filename|dir|directory|folder|output|destination|location)$|^(?:save_to|outfile|output_\w+)$/;
const OUTPUT_NAME =
  /^(?:save_(?:to|path|as|dir)|output_(?:path|file|dir|directory|file_?name|filename)|outfile|dump_to|export_path)$/;
const SAVING = /\b(?:save|write|store|dump|export|download|output)\b/i;
const LOADING = /\b(?:read|load|upload|open|parse|attach|import|compare)\b/i;

/** Parameters that hold the whole content of what an UPDATE changes. */
const WHOLE_CONTENT =
  /^(?:contents?|file_contents?|new_contents?|config|configuration|manifest|script|source_code|definition|nodes|application|markdown_content)$/;

/** Enumerations with these names sort, filter or grant; their values do nothing. */
const NO_ACTION =
  /(?:^|_)(?:sort|order|order_by|filter|events?|fields?|scopes?|permissions?|access|roles?|privileges?|format|view|reason|http|headers?)(?:_|$)/;
const ACTION_LIST =
  /^(?:operations|ops|edits|changes|actions|commands|steps|updates|mutations|patch|patches|requests)$/;
const ACTION_KEYS = ['type', 'op', 'action', 'operation'];
const LOSING_VALUE =
  /^(?:hard|forced?|rewrite|truncate|trash|trashed|deleted|archived|removed|destroyed|purged|erased|hard_\w+|force_\w+)$/;
const LOSING_VERBS = ['delete', 'remove', 'drop', 'clear', 'purge', 'replace', 'destroy', 'reset', 'truncate', 'unset'];

const RISK_RULES: readonly RiskRule[] = [
  {
    id: 'aggregation-stage',
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
      category === 'CREATE' && field.boolean && CREATE_ONLY.test(field.key)
        ? { when: { unless: [true] }, ...lose(field, 'is what keeps the call from replacing what exists') }
        : undefined,
  },
  { id: 'value', find: findValues },
  {
    id: 'switch',
    find: (field, { category, facts }) => {
      if (!field.boolean || field.values.length > 0) return undefined;
      const reads = category === 'READ';
      if (
        !(reads
          ? removesWhatItReads(field) && !isTrial(facts)
          : losesByName(field) || (GONE.test(field.key) && category !== 'CREATE'))
      )
        return undefined;
      return {
        when: switchedOn(field, reads),
        ...lose(field, 'switches on what removes, overwrites or overrides a protection'),
      };
    },
  },
  { id: 'described-switch', find: findDescribedSwitch },
  {
    id: 'file',
    find: (field, { category }) => {
      if (!field.text || field.values.length > 0 || !FILE_NAME.test(field.key)) return undefined;
      const writes =
        OUTPUT_NAME.test(field.key) || (SAVING.test(field.description) && !LOADING.test(field.description));
      if (!writes || category === 'DELETE' || category === 'UPDATE') return undefined;
      return {
        when: { present: true },
        ...lose(field, 'names a file that is written, and overwritten where it exists'),
      };
    },
  },
  {
    id: 'removed-parts',
    find: (field, { category }) => {
      const [first = ''] = field.words;
      const named =
        field.composite &&
        field.path.length <= 2 &&
        LOSING.has(first) &&
        !field.words.some((word) => HARMLESS.has(word));
      return named && category !== 'READ'
        ? { when: { present: true }, ...lose(field, 'lists what is removed') }
        : undefined;
    },
  },
  {
    id: 'whole-content',
    find: (field, { category }) =>
      category === 'UPDATE' && field.path.length === 1 && !field.boolean && WHOLE_CONTENT.test(field.key)
        ? { when: { present: true }, ...lose(field, 'replaces the whole content') }
        : undefined,
  },
  {
    id: 'marking-read',
    find: (field, { category }) =>
      category === 'READ' &&
      field.path.length === 1 &&
      field.boolean &&
      /^(?:mark_(?:as_)?(?:read|seen)|(?:auto_)?ack(?:nowledge)?|create_if_\w+|create_missing)$/.test(field.key)
        ? { when: { is: [true] }, danger: 'reversible', reason: `parameter '${nameOf(field)}' changes what is read` }
        : undefined,
  },
  {
    id: 'real-run',
    find: (field, { category }) =>
      category !== 'READ' &&
      field.boolean &&
      field.onByDefault &&
      /^(?:simulate|dry_?run|preview|validate_only)$/.test(field.key)
        ? {
            when: { is: [false] },
            ...lose(field, 'is on unless it is switched off, so the real run is meant to be rare'),
          }
        : undefined,
  },
];

/** Switches of a check or a computation belong to the change that it simulates. */
function isTrial({ name }: ToolFacts): boolean {
  const lead = name.find(({ role }) => role === 'lead');
  return lead?.effect === 'compute' || (lead?.effect === 'check' && lead.word !== 'check');
}

const CREATE_ONLY = /^(?:create_only|if_not_exists|only_if_missing|fail_if_exists|no_clobber|no_overwrite|exclusive)$/;

const nameOf = ({ path }: Field): string => path.join('.');

function lose(field: Field, what: string): { readonly danger: DangerLevel; readonly reason: string } {
  return { danger: 'destructive', reason: `parameter '${nameOf(field)}' ${what}` };
}

/** What is on unless a call switches it off counts for every call that does not; a READ would then be none. */
function switchedOn({ onByDefault }: Field, reads: boolean): RiskCondition {
  return onByDefault && !reads ? { unless: [false] } : { is: [true] };
}

function losesByName({ key, words }: Field): boolean {
  if (UNPROTECTED.test(key)) return true;
  const [first = ''] = words;
  if (SHOWING.has(first) || words.some((word) => HARMLESS.has(word))) return false;
  return words.some((word) => LOSING.has(word) || FORCING.has(word));
}

function removesWhatItReads({ words, path }: Field): boolean {
  return (
    path.length === 1 &&
    words.some((word) => LOSING.has(word)) &&
    words.every((word) => LOSING.has(word) || AFTERWARDS.has(word))
  );
}

/** What the description says that true, or false, makes of a call. */
function findDescribedSwitch(field: Field, { category }: Context): Finding | undefined {
  if (!field.boolean || field.text || category === 'READ' || SHOWING.has(field.words[0] ?? '')) return undefined;
  if (field.words.some((word) => HARMLESS.has(word) || word === 'simulate')) return undefined;
  for (const sentence of field.description.slice(0, 600).split(/[.;]\s|\s\(/)) {
    const loss = LOSS.exec(sentence);
    if (loss === null || DENIED.test(sentence.slice(0, loss.index))) continue;
    const off = /\bfalse\b/i.test(sentence.slice(0, loss.index));
    return { when: off ? { is: [false] } : switchedOn(field, false), ...lose(field, `is described by '${loss[0]}'`) };
  }
  return undefined;
}

/** The values of an enumeration that destroy, and those verbs in a list of free operations. */
function findValues(field: Field, { category, facts }: Context): Finding | undefined {
  const { key, path, values, words } = field;
  const reads = category === 'READ';
  if (values.length === 0) return undefined;
  if (
    NO_ACTION.test(key) ||
    (reads && path.length < 2) ||
    (reads && !ACTION_LIST.test(splitWords(path[0] ?? '').join('_')))
  )
    return undefined;
  if (path.length === 1 && path[0] === (facts.grouping?.parameter ?? facts.input.groupValue?.parameter))
    return undefined;
  const dangerous = values.filter((value) => (reads ? changes(value) : losesByValue(value)));
  if (dangerous.length === 0 || words.length === 0) return undefined;
  const danger: DangerLevel = dangerous.some(isRun) || !reads ? 'destructive' : 'reversible';
  const shown = dangerous
    .slice(0, 4)
    .map((value) => `'${value}'`)
    .join(', ');
  return { when: { is: dangerous }, danger, reason: `parameter '${nameOf(field)}' may be ${shown}` };
}

function losesByValue(value: string): boolean {
  const words = splitWords(value);
  const effect = effectOfValue(value);
  return (
    LOSING_VALUE.test(words.join('_')) ||
    LOSING.has(words[0] ?? '') ||
    (effect !== undefined && dangerRank(EFFECTS[effect].danger) >= dangerRank('destructive'))
  );
}

function changes(value: string): boolean {
  const effect = effectOfValue(value);
  return effect !== undefined && writeShare(effect) > 0;
}

function isRun(value: string): boolean {
  const effect = effectOfValue(value);
  return effect === 'run' || (effect !== undefined && EFFECTS[effect].danger === 'destructive');
}

function mayHoldPipeline({ words, composite }: Field, { input, descriptionText, words: name }: ToolFacts): boolean {
  const text = `${input.upstream.slug} ${name.join(' ')} ${descriptionText}`;
  if (!composite || !/mongo|aggregat/i.test(text)) return false;
  return words.some((word) => /^(?:pipelines?|stages?|aggregat\w*|target)$/.test(word));
}

/** No honest schema needs more; the rest is not looked at. */
const MOST_FIELDS = 300;
const MOST_RISKS = 32;
const DEEPEST = 4;

/** Finds the arguments with which a call of this tool does more than its category and danger say. */
export function findRisks(facts: ToolFacts, category: Category): readonly Risk[] {
  if (category === 'DELETE') return [];
  const schema = facts.input.tool['inputSchema'];
  if (!isJsonObject(schema)) return [];
  const context = { category, facts };
  const fields = readFields(schema);
  const found = fields.flatMap((field): readonly Risk[] => {
    for (const { find } of RISK_RULES) {
      const finding = find(field, context);
      if (finding !== undefined) return [{ path: field.path, ...finding }];
    }
    return category === 'READ' ? [] : findFreeOperations(field, facts);
  });
  return found.slice(0, MOST_RISKS);
}

/** A list of operations whose form the schema leaves open: the description names them. */
function findFreeOperations(field: Field, { descriptionText }: ToolFacts): readonly Risk[] {
  const { composite, described, key, path } = field;
  if (!composite || described || path.length > 1 || !ACTION_LIST.test(key)) return [];
  const named = [...descriptionText.matchAll(/\b[a-z]+(?:[A-Z_]\w*)?\b/g)].map(([word]) => word);
  const values = [...new Set([...LOSING_VERBS, ...named.filter((word) => /[A-Z_]/.test(word) && losesByValue(word))])];
  return ACTION_KEYS.map((member) => ({
    path: [...path, member],
    when: { is: values.slice(0, 40) },
    danger: 'destructive',
    reason: `parameter '${key}' may hold operations that remove or replace`,
  }));
}

/** All described fields, members behind their parameter. */
function readFields(root: JsonSchema): readonly Field[] {
  const fields: Field[] = [];
  const visit = (schema: JsonSchema, path: readonly string[]): void => {
    if (path.length >= DEEPEST) return;
    for (const { name, schema: given } of readObjectFields(schema, root)) {
      if (fields.length >= MOST_FIELDS) return;
      const property = followReference(given, root) ?? given;
      const items = isJsonObject(property['items']) ? property['items'] : undefined;
      const inside = items ?? property;
      const nested = readObjectFields(inside, root).length > 0;
      fields.push(readField([...path, name], property, items, nested, root));
      if (nested) visit(inside, [...path, name]);
    }
  };
  visit(root, []);
  return fields;
}

function readField(
  path: readonly string[],
  schema: JsonSchema,
  items: JsonSchema | undefined,
  described: boolean,
  root: JsonSchema,
): Field {
  const words = splitWords(path.at(-1) ?? '');
  const types = typesOf(schema);
  const constants = [...readConstants(schema, root), ...(items === undefined ? [] : readConstants(items, root))];
  const values = [...new Set(constants.filter((value) => typeof value === 'string'))];
  const yesOrNo = values.length > 0 && values.every((value) => /^(?:true|false|yes|no)$/i.test(value));
  return {
    path,
    key: words.join('_'),
    words,
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    boolean: types.has('boolean') || types.size === 0 || yesOrNo,
    text: types.has('string') || types.size === 0,
    composite: types.has('object') || types.has('array') || items !== undefined || described,
    values: yesOrNo ? [] : values,
    onByDefault: schema['default'] === true,
    described,
  };
}
