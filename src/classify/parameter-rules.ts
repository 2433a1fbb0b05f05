import type { ParameterFacts, ToolFacts } from './facts.js';
import type { Rule, RuleMatch } from './rule.js';
import { type Effect, setOfWords } from './words/lexicon.js';
import { wordList } from './words/word-lists.js';

/** Switches that make a check or a computation change what it looks at. */
const MUTATING_FLAG = setOfWords('fix autofix write in_place inplace persist');
/** `dry_run` reads as the verb `simulate`. */
const PLAN_FLAG = setOfWords('simulate dryrun validate_only preview_only');
const DESTRUCTIVE_FLAG = /^(?:prune|purge|overwrite|overwrite_.*|delete|remove|upsert|cascade|create_if_.*)$/;
const LOCAL_PATH =
  /^(?:(?:local|save|output|download|target|dest|destination|out)_?(?:path|dir|directory|folder|file)|path|file_?path|save_as|save_to|destination|output|directory|folder)$/;

const NOTHING: readonly never[] = [];

/** One match, however many parameters fit: three page parameters are no stronger evidence than one. */
const anyParameter =
  (effect: Effect, meaning: string, fits: (parameter: ParameterFacts) => boolean) =>
  (facts: ToolFacts): readonly RuleMatch[] => {
    const found = facts.parameters.find(fits);
    return found === undefined ? NOTHING : [{ effect, says: `parameter '${found.name}' ${meaning}` }];
  };

/** Switches of a change, unless the tool validates or previews: then the switches belong to the change that it simulates. */
const changingParameter =
  (meaning: string, fits: (parameter: ParameterFacts) => boolean) =>
  (facts: ToolFacts): readonly RuleMatch[] => {
    const lead = facts.name.find(({ role }) => role === 'lead')?.effect;
    return lead === 'check' || lead === 'compute' ? [] : anyParameter('write', meaning, fits)(facts);
  };

/** The rules that look at parameters. */
export const PARAMETER_RULES: readonly Rule[] = [
  {
    id: 'parameter-dry-run',
    looksAt: 'parameters',
    wholeTool: true,
    weight: 12,
    meaning: 'Only a tool that changes something offers a dry run.',
    find: changingParameter('offers a dry run', ({ key, boolean }) => boolean && PLAN_FLAG.has(key)),
  },
  {
    id: 'parameter-destructive-flag',
    looksAt: 'parameters',
    weight: 12,
    meaning: 'A switch that removes, overwrites or applies.',
    find: changingParameter('switches a change on', ({ key, boolean }) => boolean && DESTRUCTIVE_FLAG.test(key)),
  },
  {
    id: 'parameter-mutating-flag',
    looksAt: 'parameters',
    weight: 12,
    meaning: 'A switch that makes a check or a computation write: lint with fix.',
    find: anyParameter('write', 'makes it write', ({ key, boolean }) => boolean && MUTATING_FLAG.has(key)),
  },
  {
    id: 'parameter-download-path',
    looksAt: 'parameters',
    weight: 12,
    meaning: 'A download or export into a named place creates a file there.',
    find: (facts) =>
      facts.name.some(handsOut) || facts.description.matches.some(handsOut)
        ? anyParameter('create', 'is where the copy is written', ({ key, text }) => text && LOCAL_PATH.test(key))(facts)
        : [],
  },
  {
    id: 'parameter-output-path',
    looksAt: 'parameters',
    weight: 24,
    meaning: 'A converter writes the file that a required or preset output path names.',
    find: (facts) =>
      isConverter(facts)
        ? anyParameter('create', 'is where the result is written', (one) => isOutput(one, facts))(facts)
        : [],
  },
];

const handsOut = ({ effect }: { readonly effect: Effect }): boolean => effect === 'download';

const OUTPUT_PATH =
  /^(?:(?:out|output|dest|destination|save|export|result)_?(?:path|file|file_?path|file_?name|dir|directory|folder|location)|save_(?:to|as)|out_?file|out_?dir|write_to)$/;
/** Where something is written, if it is a file that is worked on. */
const TARGET = /^(?:output|destination|dest|target|target_(?:path|file|dir|directory|folder))$/;
const SOURCE_FILE = /(?:^|_)(?:paths?|files?|file_?name|filename|source|src|input|images?|videos?|pdfs?)(?:_|$)/;
/** Effects of tools that make one thing of another. */
const MAKING: ReadonlySet<Effect> = new Set<Effect>(['read', 'check', 'compute', 'download', 'create', 'update']);
const CONVERTING = wordList('converting');

/** Whether the tool makes one thing of another, so that a path for output is where the result goes. */
function isConverter({ name, description }: ToolFacts): boolean {
  return (
    name.every(({ role, effect }) => role === 'inner' || MAKING.has(effect)) &&
    description.matches.every(({ role, effect }) => role === 'later' || MAKING.has(effect))
  );
}

/** Whether a parameter names the file that a converter always writes: it is required, or has a name where none is given. */
function isOutput({ key, text, values, required, preset }: ParameterFacts, facts: ToolFacts): boolean {
  if (!text || values.length > 0 || !(required || preset)) return false;
  if (OUTPUT_PATH.test(key)) return true;
  const converts = [...facts.name, ...facts.description.matches].some(({ word }) => CONVERTING.has(word));
  return (
    TARGET.test(key) && converts && facts.parameters.some((other) => other.key !== key && SOURCE_FILE.test(other.key))
  );
}
