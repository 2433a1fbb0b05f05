import { isJsonObject } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { rememberTexts } from '../base/lib/remember.js';
import { type ArgumentField, FILTERS, readArgumentFields } from './argument-fields.js';
import { type ToolFacts, unwrapped } from './facts.js';
import { nameOf } from './risk-rule.js';
import type { Effect } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';
import { wordList } from './words/word-lists.js';

/** A field of a call that holds what its server runs. */
export interface Carrier {
  readonly field: ArgumentField;
  /** What it holds: the words for the evidence. */
  readonly what: string;
}

/** What tools run that take a statement. */
export const RUNS_LANGUAGE = 'SQL or another language that can write';

/** Languages, products and programs by which a text says what kind of text is meant. */
const OF_QUERIES =
  '(?:\\w*sql|graph ?ql|gql|(?:open)?cypher|gremlin|sparql|n1ql|cql|aql|influx ?ql|mongo(?:db)?(?: shell)?|database)';
const OF_COMMANDS =
  '(?:shell|bash|zsh|terminal|powershell|cmd|dos|unix|linux|ssh|console|cli|command[- ]line|kubectl|docker|git|helm|terraform|redis|gdb|lldb|debugger|system|vim|ftp|smtp|at|ansible|salt|os)';
const OF_CODE =
  '(?:java ?script|js|typescript|python|groovy|ruby|perl|php|lua|r|julia|matlab|scala|kotlin|java|c#|go|rust|apex|abap|vba|applescript|vb ?script|lisp|clojure|haskell|elixir|sas|stata|arbitrary)';

interface Kind {
  readonly what: string;
  /** Words of a name that say it by themselves, where they stand last or before a word for a text. */
  readonly names: RegExp;
  /** Names that say it where a text says that such a thing is run. */
  readonly perhaps: RegExp;
  /** What a text calls it. */
  readonly said: RegExp;
  /** Effects of verbs that run it, and verbs that run it although they usually have another effect. */
  readonly effects: ReadonlySet<Effect>;
  readonly verbs?: ReadonlySet<string>;
  /** Words of the name or of the main sentence that say that such a thing is run, beside such a verb. */
  readonly subject: RegExp;
  /** Whether the subject alone says that it is run, where the name has no verb. */
  readonly named?: true;
  /** Where the main sentence or name says this, the tool runs nothing arbitrary. */
  readonly except?: RegExp;
}

const NOTHING = /(?!)/;
const anyCase = (text: string): RegExp => new RegExp(text, 'i');

const KINDS: readonly Kind[] = [
  {
    what: 'commands',
    names: /^(?:shell|bash|zsh|powershell|pwsh|terminal|cli|commands?|cmds?|cmdline|ldif|gdb|kubectl|argv)$/,
    perhaps: /(?:^|_)(?:commands?|cmds?|cmdline|shell|bash)$|^(?:args|arguments|input|steps)$/,
    said: anyCase(
      `\\b${OF_COMMANDS}[- ](?:\\w+ )?(?:commands?|scripts?|instructions?|arguments?|args)\\b|\\bcommands? (?:line )?(?:to|that|which|for)(?: be| is| are| will be| gets?)? (?:run|ran|execut|issue|send|sent|pass|be |the shell)\\w*|\\bcommand[- ]line\\b|\\bLDIF\\b`,
    ),
    effects: new Set<Effect>(['run', 'lifecycle', 'send', 'interact', 'overwrite']),
    subject: /\b(?:commands?|shell|bash|terminal|cmd|powershell|cli|process|subprocess|ssh)\b/i,
  },
  {
    what: 'code',
    names: /^(?:javascript|js|groovy|eval|applescript|osascript|vbscript)$/,
    perhaps:
      /^(?:code|source|source_code|program|functions?|body|text|input|content)$|(?:^|_)(?:scripts?|snippet|expression|javascript|js|python|code)$/,
    said: anyCase(
      `\\b${OF_CODE} (?:\\w+ )?(?:code|scripts?|snippets?|programs?|expressions?|functions?|source|statements?)\\b|\\b(?:code|scripts?|snippets?|programs?|expressions?|functions?|source|macros?|formulas?|procedures?)(?: \\w+)? (?:to|that|which|is|are|will|gets?)(?: be| is| are| get)? ?(?:run|ran|execut|evaluat|interpret|invok|inject|compile)\\w*`,
    ),
    effects: new Set<Effect>(['run']),
    subject:
      /\b(?:code|scripts?|javascript|js|python|typescript|expressions?|snippets?|program|lua|notebook cell|ruby|php|evaluate|eval)\b/i,
  },
  {
    what: RUNS_LANGUAGE,
    names:
      /^(?:\w*sql|(?:graph|influx|n1|c|a|g|surreal|parti|db|o|e?d)ql|(?:open)?cypher|gremlin|sparql|mutations?|stmts?|statements?|mdx)$/,
    perhaps: /(?:^|_)(?:sql|q|query|queries|statements?|stmts?|cypher|gql|graphql|mutation)$|^(?:text|command|input)$/,
    said: anyCase(
      `\\b${OF_QUERIES} (?!connection|database)(?:\\w+ )?(?:quer(?:y|ies)|statements?|commands?|mutations?|text|string|code|scripts?|expressions?|operations?)\\b|\\b(?:quer(?:y|ies)|statements?|requests?) (?:in|of|as|written in) (?:\\w+ )?${OF_QUERIES}\\b|\\b(?:any|raw|given|the|an?) (?:sql|cypher|graphql|gremlin)\\b|\\bstatements?(?: \\w+)? (?:to|that|which)(?: be| is| are)? ?(?:run|ran|execut)\\w*|\\bmutation\\b`,
    ),
    effects: new Set<Effect>(['run', 'overwrite']),
    verbs: new Set(['query']),
    subject:
      /\b(?:\w*sql|graphql|gql|(?:open)?cypher|gremlin|sparql|mutations?|statements?)\b|\bmongo(?:db|sh)?\b.*\b(?:commands?|shell)\b|\b(?:execut\w*|runs?)\b.*\bquer(?:y|ies)\b.*\b(?:database|warehouse)\b/i,
    except:
      /\b(?:es\|?ql|promql|logql|traceql|jql|soql|sosl|kql|nrql)\b|\bread[- _]?only\b|\bselect (?:quer|statement)|\bread[- _](?:query|queries)\b|\b(?:explain|validate|format)\w* (?:an? )?\w*sql\b/i,
  },
  {
    what: 'requests',
    names: /^(?:curl)$/,
    perhaps: /^(?:url|uri|path|endpoint|route|request_url|target_url|api_path|href|requests?|body)$/,
    said: /\b(?:raw|whole|complete|full) (?:http )?requests?\b|\bhttp request (?:to|that|as|text|message)\b/i,
    effects: new Set<Effect>(['run', 'send', 'lifecycle']),
    verbs: new Set(['make', 'request', 'fetch', 'post', 'put', 'patch', 'delete']),
    named: true,
    subject:
      /\b(?:arbitrary|any|raw|custom|generic|direct|http|https|rest)\b.*\b(?:requests?|calls?|api|endpoints?)\b|\bapi (?:requests?|calls?)\b|\b(?:post|put|patch|delete) requests?\b/i,
    except: /\b(?:get|head) requests?\b(?!.*\b(?:post|put|patch|delete)\b)|\bweb ?(?:page|site)\b/i,
  },
  {
    what: 'actions that only their name tells,',
    names: NOTHING,
    perhaps: /^(?:(?:mcp_)?tools?|actions?|methods?|functions?|operations?|procedures?|rpc)(?:_(?:name|id|key|slug))?$/,
    said: NOTHING,
    effects: new Set<Effect>(['run']),
    subject: /\b(?:tools?|actions?|methods?|functions?|operations?|procedures?|rpc)\b/i,
  },
];

/** Languages and programs whose name says it where a word for a text follows: `r_code`, `kubectl_args`. */
const LANGUAGES = wordList('language-names');
/** What may follow a word that says what a text holds: `sql_text`, `command_line`. */
const TEXTS = wordList('text-nouns');
/** What a call says beside the text that is run: where, as whom, in which form. */
const BESIDE = wordList('beside-what-runs');

/** How a sentence says that such a thing is run, or that its outcome is given back. */
const outcomeOf = (thing: string): RegExp =>
  anyCase(
    `\\b(?:results?|outputs?|outcomes?|rows?|records?|responses?|answers?|values?|data|stdout|replies|reply|numbers?)\\b (?:\\w+ ){0,3}(?:of|from|for|by|with|to|given|that) (?:\\w+ ){0,4}(?:${thing})\\b|\\b(?:runs?|running|execut\\w+|evaluat\\w+|interprets?|perform\\w*|issues?|sends?|submits?|pass(?:es)?|what|with)\\b (?:[\\w-]+ ){0,4}(?:${thing})\\b`,
  );
const OUTCOMES: readonly (readonly [what: string, pattern: RegExp])[] = [
  [RUNS_LANGUAGE, outcomeOf(`${OF_QUERIES} (?:quer(?:y|ies)|statements?)|sql|cypher|graphql|mutations?|statements`)],
  ['commands', outcomeOf(`(?:${OF_COMMANDS} )?commands?(?: lines?)?|LDIF|shell`)],
  ['code', outcomeOf(`(?:${OF_CODE} )(?:code|scripts?|programs?|expressions?|snippets?)|scripts?|snippets?|programs?`)],
  ['requests', outcomeOf('(?:any|raw|arbitrary|given|custom) (?:http |api )?requests?|http requests?')],
];

/** What a text says of a language that cannot write, or of a tool whose author says that it does not. */
const READ_ONLY_WORDS =
  /\b(?:es\|?ql|promql|logql|traceql|jql|soql|sosl|kql|nrql)\b|\bread[- _]?only\b|\bselect (?:quer|statement)|\b(?:arithmetic|mathematical|math|cron|regular|regex|xpath|jsonpath|jmespath|search) (?:expression|formula|query|syntax)s?\b/i;
/** Of a thing that is named as it is: "a script that runs on the page", "the query to execute". */
const SAYS_RUN =
  /\b(?:execut|evaluat)\w*|\b(?:runs?|ran|running) (?:in|on|it|the|an?|any|code|scripts?)\b|\bscript (?:ran|runs|is run)\b/i;
const PERHAPS_RUN = /^(?:scripts?|code|\w+_code|expression|query|statement)$/;
const IDENTIFYING =
  /\b(?:name|id|ids|identifier|path|title|slug|number|iso|iata|country|currency|postal|language) (?:of|code|for)\b|\b(?:unique|short) \w+/i;
const SAYS_UNRUN =
  /\bwithout (?:running|executing|evaluating)\b|\bnot (?:run|executed|evaluated)\b|\bdoes not (?:run|execute)\b/i;

/** Effects of what keeps or handles its input, a parameter named `code` or `command` included, and does not carry it out. */
export const STORING = wordList('storing');
/** Verbs that look at a text and do not run it. */
const LOOKING = wordList('looking');

export const firstSentence = (text: string): string => /^[^.\n]*/.exec(text.slice(0, 400).trim())?.[0] ?? '';

/** The fields of a call that hold a text which is run, at any depth: by their names, by what is said of them, by what is said of the tool. */
export const findCarriers = oncePer((facts: ToolFacts): readonly Carrier[] => {
  const { inputSchema: schema } = unwrapped(facts.input.tool);
  const fields = isJsonObject(schema) ? readArgumentFields(schema).filter(isFree) : [];
  const runs = fields.length === 0 ? undefined : findRunner(facts, fields);
  const carried = facts.input.groupValue !== undefined || onlyHandles(facts) ? [] : findCarried(facts, fields);
  const others = carried.filter(({ field }) => field !== runs?.field);
  return runs === undefined ? others : [runs, ...others];
});

/** Names of fields that hold words, and names that do where the tool searches. */
const SOUGHT =
  /(?:^|_)(?:search|keywords?|terms?|phrases?|needle|question|topic)(?:_(?:for|text|string|quer(?:y|ies)|terms?|words?|phrases?|keywords?))?$/;
const PERHAPS_SOUGHT = /^(?:q|quer(?:y|ies)|text|input|prompt)$/;
const SAYS_SOUGHT =
  /\b(?:search|keywords?)[- ](?:text|string|quer(?:y|ies)|terms?|words?|phrases?|keywords?)\b|\b(?:text|words?|terms?|keywords?|phrases?|what) to (?:search|look|find)\b|\b(?:natural[- ]language|your) (?:quer(?:y|ies)|questions?)\b/i;

/** The parameters of a reading tool that hold what is searched for, in words. */
export function findSought(facts: ToolFacts): readonly string[] | undefined {
  const { inputSchema: schema } = unwrapped(facts.input.tool);
  const sentence = firstSentence(facts.descriptionText);
  const seeks = facts.words.includes('search') || /^\W*(?:[\w-]+ )?search/i.test(sentence);
  const names = (isJsonObject(schema) ? readArgumentFields(schema).filter(isFree) : []).flatMap((field) => {
    const { path, key, description } = field;
    const isSought = SOUGHT.test(key) || SAYS_SOUGHT.test(description) || (seeks && PERHAPS_SOUGHT.test(key));
    const runs = KINDS.some(({ said }) => said.test(description) || said.test(sentence));
    return path.length === 1 && isSought && !runs ? path : [];
  });
  return names.length === 0 ? undefined : names;
}

/** The parameters of a tool that looks at texts: those that are said to be texts. */
export function findHandled(facts: ToolFacts): readonly string[] {
  const { inputSchema: schema } = unwrapped(facts.input.tool);
  const fields = isJsonObject(schema) ? readArgumentFields(schema).filter(isFree) : [];
  return fields.flatMap(({ path, boolean }) => (path.length === 1 && !boolean ? path : []));
}

/** A text, or a list of texts, that may say anything. */
const isFree = ({ text, composite, described, values }: ArgumentField): boolean =>
  (text || (composite && !described)) && values.length === 0;

/** What a tool that checks may check, besides things. */
const OF_TEXTS =
  /\b(?:sql|quer(?:y|ies)|statements?|code|syntax|scripts?|expressions?|commands?|texts?|strings?|schemas?|json|ya?ml|html|config\w*|files?|documents?|grammar|spelling|content|patterns?|regex\w*|formats?|urls?|emails?|links?|manifests?|lint|markdown|diagrams?|templates?|formulas?|policy|policies|cypher|graphql)\b/i;

/** Whether the tool keeps, checks or explains a text that it is given, and does not carry it out. */
export function onlyHandles({ name, words, description, descriptionText }: ToolFacts): boolean {
  const lead = name.find(({ role }) => role === 'lead') ?? description.matches.find(({ role }) => role === 'head');
  const looks = lead !== undefined && (STORING.has(lead.effect) || LOOKING.has(lead.word));
  return (
    (looks && (lead.effect !== 'check' || OF_TEXTS.test(`${words.join(' ')} ${descriptionText.slice(0, 400)}`))) ||
    SAYS_UNRUN.test(descriptionText.slice(0, 600))
  );
}

/** Names that say it of a parameter, and something else within one. */
const GENERIC =
  /(?:^|_)(?:text|input|content|body|source|functions?|steps|lines?|url|uri|path|href|tools?|actions?|methods?)(?:_(?:name|id|key|slug))?$/;

/** What the tool runs by its verb and what it is about, in a field whose name may hold that. */
function findRunner(facts: ToolFacts, fields: readonly ArgumentField[]): Carrier | undefined {
  const texts = [facts.words.join(' '), facts.description.main, firstSentence(facts.descriptionText)];
  for (const kind of KINDS) {
    const field = fields.find(({ key, path }) => kind.perhaps.test(key) && (path.length === 1 || !GENERIC.test(key)));
    if (field === undefined || texts.some((text) => kind.except?.test(text))) continue;
    const named = [...texts, field.words.join(' ')].some((text) => kind.subject.test(text));
    if (named && carriesOut(facts, kind)) return { field, what: kind.what };
  }
  return undefined;
}

const keeps = (effect: Effect): boolean => STORING.has(effect) || effect === 'update';

function carriesOut(facts: ToolFacts, kind: Kind): boolean {
  const lead = facts.name.find(({ role }) => role === 'lead');
  if (lead === undefined && kind.named) return true;
  if (lead !== undefined && keeps(lead.effect) && !kind.verbs?.has(lead.word)) return false;
  const verbs = [
    ...facts.name.filter(({ role }) => role === 'lead' || role === 'likely' || role === 'joined'),
    ...facts.description.matches.filter(({ role }) => role !== 'later'),
  ];
  return verbs.some(({ effect, word }) => kind.effects.has(effect) || (kind.verbs?.has(word) ?? false));
}

/** What a field holds by its name, by its description, or by the tool's sentence, whatever the tool's verb is. */
function findCarried(facts: ToolFacts, fields: readonly ArgumentField[]): readonly Carrier[] {
  const sentence = firstSentence(facts.descriptionText);
  const words = facts.words.join(' ');
  const lead = facts.name.find(({ role }) => role === 'lead');
  const changes = lead !== undefined && keeps(lead.effect);
  const outcome = OUTCOMES.find(([, pattern]) => pattern.test(sentence))?.[0];
  const isOpen = ({ description, path }: ArgumentField): boolean =>
    // What an update keeps inside a thing is a part of that.
    !(changes && path.length > 1) && !READ_ONLY_WORDS.test(`${words} ${sentence} ${description}`);
  const open = fields.filter(isOpen);
  const found = open.flatMap((field): readonly Carrier[] => {
    const what = kindOf(field, facts, sentence);
    return what === undefined ? [] : [{ field, what }];
  });
  // Where nothing names the text that the sentence is about, it may be any.
  if (found.length > 0 || outcome === undefined) return found;
  return open.filter((field) => !isBeside(field)).map((field) => ({ field, what: outcome }));
}

function kindOf(field: ArgumentField, facts: ToolFacts, sentence: string): string | undefined {
  const { description, key, words } = field;
  if (namesStored(facts, words)) return undefined;
  const named = KINDS.find(({ names }) => saysByName(words, names));
  if (named !== undefined) return named.what === 'commands' && FILTERS.test(description) ? undefined : named.what;
  const last = words.at(-1) ?? '';
  if (words.length > 1 && TEXTS.has(last) && words.slice(0, -1).some((word) => LANGUAGES.has(word)))
    return /^(?:args|arguments|commands?|cmd|line)$/.test(last) ? 'commands' : 'code';
  const bare = description.toLowerCase().match(/[\w-]+/g) ?? [];
  if (bare.some((word) => LANGUAGES.has(word)) && bare.every((word) => LANGUAGES.has(word) || TEXTS.has(word)))
    return 'code';
  if (BESIDE.has(last) || IDENTIFYING.test(description)) return undefined;
  const said = KINDS.find((kind) => kind.said.test(description));
  if (said !== undefined) return FILTERS.test(description) ? undefined : said.what;
  const looks = facts.words.some((word) => word === 'search' || word === 'scan' || word === 'audit');
  if (!PERHAPS_RUN.test(key) || looks || BESIDE.has(words[0] ?? '')) return undefined;
  if (SAYS_RUN.test(`${sentence} ${description}`)) return /query|statement/.test(key) ? RUNS_LANGUAGE : 'code';
  return KINDS.find((kind) => kind.said.test(sentence))?.what;
}

/** Whether a word, or two that one name was split into (`influxQL`), says it and nothing but words for a text follow. */
function saysByName(words: readonly string[], names: RegExp): boolean {
  const at = words.findLastIndex(
    (word, index) => names.test(word) || (index > 0 && names.test(`${words[index - 1]}${word}`)),
  );
  return at >= 0 && words.slice(at + 1).every((word) => TEXTS.has(word));
}

/** Whether a name alone says that what it holds is run: `sql`, `shell_command`. */
export const carriesByName = rememberTexts((name): boolean => {
  const words = splitWords(name);
  return KINDS.some(({ names }) => saysByName(words, names));
});

/** `get_script {script}`: the script is the thing that is shown, and the parameter says which. */
export function namesStored({ words }: ToolFacts, own: readonly string[]): boolean {
  const [noun = ''] = own;
  const output = words.some((word) => /^(?:outputs?|results?|stdout|response|data)$/.test(word));
  return own.length === 1 && !output && words.some((word) => word === noun || word === `${noun}s`);
}

/** Where, as whom or in which form something runs. */
const isBeside = ({ words, description }: ArgumentField): boolean =>
  BESIDE.has(words.at(-1) ?? '') || IDENTIFYING.test(description) || FILTERS.test(description);

export const carrierInWords = ({ what, field }: Carrier): string => `${what} given in '${nameOf(field)}'`;
