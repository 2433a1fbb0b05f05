import type { Deciding } from '../base/protocol/operation.js';
import type { ParameterFacts, ToolFacts } from './facts.js';
import { effectOfAction, isLoss } from './judge-value.js';
import { saidToLose } from './read-value.js';
import { findRunner, STORING } from './runner.js';
import { readListedValues } from './text/listed-values.js';
import { type Effect, readShare } from './words/lexicon.js';
import { wordList } from './words/word-lists.js';

/** Parameters that name an action beside an object of its arguments; elsewhere they mean something else as often. */
const NAMING =
  /^(?:method|function|tool|task|procedure|skill|handler|rpc|intent|(?:tool|function|method|action|operation|command)_(?:name|id))$/;
const ACTION = /^(?:action|operation|op|cmd|command|verb|act|subcommand|sub_command)$/;
const HTTP_METHOD = /^(?:(?:http|request)_)?(?:method|verb)$/;
/** All names that may decide: most parameters have none of them. */
const MAY_DECIDE = [HTTP_METHOD, ACTION, NAMING, /^name$/];
const ARGUMENTS =
  /^(?:parameters?|params|args|arguments|inputs?|payload|data|body|options|properties|kwargs|vars|variables)$/;
const ADDRESS = /^(?:url|uri|endpoint|path|route|api_path|request_url|target_url|href)$/;
/** What a parameter is that only selects which entries are shown. */
const FILTERS =
  /\bfilter|\bonly (?:return|show|include|list)|\brestrict|\bnarrow|\bmatching\b|\bto (?:search|look) for\b/i;

/** Verbs that look at a text and do not run it. */
const LOOKING = wordList('looking');
const SAYS_UNRUN =
  /\bwithout (?:running|executing|evaluating)\b|\bnot (?:run|executed|evaluated)\b|\bdoes not (?:run|execute)\b/i;

/** Parameters whose name alone says that they hold a language that may do anything. */
const LANGUAGE =
  /^(?:\w+_)?sql(?:_(?:query|statement|text|string|command|code))?$|^(?:\w+_)?(?:cypher|graphql|gql|gremlin|sparql)(?:_(?:query|statement|document|text|string|code|mutation))?$|^(?:shell|bash|powershell|terminal)(?:_(?:command|script|code))?$|^(?:js|javascript|python|ruby|php|lua|perl|script|typescript)_(?:code|script|snippet|source|expression)$|^(?:eval|javascript|mutation)$|^js$|^(?:\w+_)?cli(?:_command)?$/;
/** Parameters that do so where a text names a language, or says that they are run. */
const PERHAPS = /^(?:script|scripts|code|\w+_code|expression|query|statement)$/;
const LANGUAGE_WORDS =
  /\b(?:sql|cypher|graphql|gremlin|sparql|n1ql|cql|aql) (?:query|queries|statements?|commands?|text|string)\b|\b(?:query|statement|request)s? (?:in|of|as|written in) (?:\w+ )?(?:sql|cypher|graphql|gremlin|sparql)\b|\b(?:any|raw|given|the|an?) (?:sql|cypher|graphql|gremlin)\b|\bjava ?script|\bpython\b|\btypescript\b|\b(?:execut|evaluat)\w*|\b(?:runs?|ran|running) (?:in|on|it|the|an?|any|code|scripts?)\b|\bscript (?:ran|runs|is run)\b/i;
/** What a text says of a language that cannot write, or of a tool whose author says that it does not. */
const READ_ONLY_WORDS =
  /\b(?:es\|?ql|promql|logql|traceql|jql|soql|sosl|kql|nrql)\b|\bread[- _]?only\b|\bselect (?:quer|statement)|\b(?:arithmetic|mathematical|math|cron|regular|regex|xpath|jsonpath|jmespath|search) (?:expression|formula|query|syntax)s?\b/i;

const firstSentence = (text: string): string => /^[^.\n]*/.exec(text.slice(0, 400).trim())?.[0] ?? '';
const isOpen = ({ text, values }: ParameterFacts): boolean => text && values.length === 0;

/** The effect of the verb that leads the name, else of the one that the description begins with. */
function leadingEffect({
  name,
  description,
}: ToolFacts): { readonly effect: Effect; readonly word: string } | undefined {
  return (
    name.find(({ role }) => role === 'lead') ??
    (name.length === 0 ? description.matches.find(({ role }) => role === 'head') : undefined)
  );
}

/** Whether the tool keeps, checks or explains a text that it is given, and does not carry it out. */
function onlyHandles(facts: ToolFacts): boolean {
  const lead =
    facts.name.find(({ role }) => role === 'lead') ?? facts.description.matches.find(({ role }) => role === 'head');
  return (
    (lead !== undefined && (STORING.has(lead.effect) || LOOKING.has(lead.word))) ||
    SAYS_UNRUN.test(facts.descriptionText.slice(0, 600))
  );
}

/**
 * The parameter that carries a language which may do anything, whatever the tool's verb is: `fetch_rows {sql}`, `get_output {command}`.
 * Undefined where the tool only stores or explains it, and where its author says that it cannot write.
 */
export function findCarrier(facts: ToolFacts): ParameterFacts | undefined {
  if (facts.input.groupValue !== undefined || onlyHandles(facts)) return undefined;
  const sentence = firstSentence(facts.descriptionText);
  return facts.parameters.find((parameter) => {
    const { key, description } = parameter;
    if (!LANGUAGE.test(key) && !PERHAPS.test(key)) return false;
    const texts = `${sentence} ${description}`;
    if (
      !isOpen(parameter) ||
      READ_ONLY_WORDS.test(`${facts.words.join(' ')} ${texts}`) ||
      namesStored(facts, parameter)
    )
      return false;
    if (LANGUAGE.test(key)) return true;
    const looks = facts.words.some((word) => word === 'search' || word === 'scan' || word === 'audit');
    return PERHAPS.test(key) && !looks && !isIdentifying(parameter) && LANGUAGE_WORDS.test(texts);
  });
}

/** Whether a parameter of a tool that reads by its author's word holds a statement, which may write all the same. */
export function isStatementKey(key: string, facts: ToolFacts): boolean {
  if (onlyHandles(facts)) return false;
  const texts = `${facts.words.join(' ')} ${firstSentence(facts.descriptionText)}`;
  return (
    (LANGUAGE.test(key) || /^(?:query|statement)$/.test(key)) &&
    /sql|cypher|graphql|database|gremlin|sparql/i.test(`${key} ${texts}`)
  );
}

/** `get_script {script}`: the script is the thing that is shown, and the parameter says which. */
function namesStored({ words }: ToolFacts, { words: own }: ParameterFacts): boolean {
  const [noun = ''] = own;
  const output = words.some((word) => /^(?:outputs?|results?|stdout|response|data)$/.test(word));
  return own.length === 1 && !output && words.some((word) => word === noun || word === `${noun}s`);
}

const isIdentifying = ({ description, key }: ParameterFacts): boolean =>
  /\b(?:name|id|ids|identifier|path|title|slug|number|iso|iata|country|currency|postal|language) (?:of|code|for)\b|\b(?:unique|short) \w+/i.test(
    description,
  ) ||
  /^(?:country|currency|postal|zip|language|lang|status|error|airport|stock|area|promo|coupon|discount|product|region|state|access|auth|verification|invite|confirmation|exit|response|http)_code$/.test(
    key,
  );

/** The parameters by whose value each call of the tool is judged. */
export function findDeciding(facts: ToolFacts): readonly Deciding[] {
  if (facts.input.groupValue !== undefined || facts.grouping !== null) return [];
  return facts.parameters.flatMap((parameter): readonly Deciding[] => {
    const kind = decidingKind(parameter, facts);
    return kind === undefined ? [] : [{ parameter: parameter.name, kind, listed: harmlessListed(parameter, facts) }];
  });
}

function decidingKind(parameter: ParameterFacts, facts: ToolFacts): Deciding['kind'] | undefined {
  const { key, description } = parameter;
  if (!isOpen(parameter) || !MAY_DECIDE.some((pattern) => pattern.test(key)) || FILTERS.test(description))
    return undefined;
  const { parameters } = facts;
  const lead = leadingEffect(facts);
  const reads = lead !== undefined && readShare(lead.effect) > 0;
  // What reads by its name and is given no method reads; `find-risks` judges the method that it is given.
  if (HTTP_METHOD.test(key) && parameters.some((other) => ADDRESS.test(other.key)))
    return reads && findRunner(facts) === undefined ? undefined : 'method';
  const hasArguments = parameters.some((other) => other !== parameter && other.composite && ARGUMENTS.test(other.key));
  if (lead !== undefined && STORING.has(lead.effect)) return undefined;
  if (key === 'command' || key === 'cmd') return decidesByCommand(parameter, facts, hasArguments);
  if (ACTION.test(key)) return !reads || hasArguments ? 'action' : undefined;
  if (NAMING.test(key)) return hasArguments ? 'action' : undefined;
  const isNamed =
    key === 'name' && hasArguments && (lead === undefined || lead.effect === 'run' || lead.effect === 'manage');
  return isNamed ? 'action' : undefined;
}

/** Whole command lines of a shell are never told apart: any word of them may be a program. */
const SHELL =
  /\b(?:shell|bash|terminal|powershell|cmd\.exe|ssh|command[- ]line|cli|subprocess|process|programs?|docker|kubectl|git|container|host|system)\b/i;

function decidesByCommand(
  parameter: ParameterFacts,
  facts: ToolFacts,
  hasArguments: boolean,
): Deciding['kind'] | undefined {
  if (namesStored(facts, parameter)) return undefined;
  if (hasArguments) return 'action';
  const texts = `${facts.words.join(' ')} ${firstSentence(facts.descriptionText)} ${parameter.description}`;
  return SHELL.test(texts) ? undefined : 'command';
}

/** Values that the texts list, whose words and clause say nothing of a loss. */
function harmlessListed(parameter: ParameterFacts, facts: ToolFacts): readonly string[] {
  const { tool } = facts.input;
  const others = new Set(facts.parameters.map(({ name }) => name));
  const values = readListedValues(parameter.name, parameter.description, facts.descriptionText, others);
  return values.filter((value) => {
    const effect = effectOfAction(value);
    return (
      (effect === undefined || !isLoss(effect)) && saidToLose(tool, parameter.description, value, values) === undefined
    );
  });
}

/** What a tool is whose calls do whatever they are told: the words for its evidence; undefined for all others. */
export function findRouter(facts: ToolFacts): string | undefined {
  const carrier = findCarrier(facts);
  if (carrier !== undefined) return `${languageOf(carrier, facts)} given in '${carrier.name}'`;
  const [first] = findDeciding(facts).filter(({ kind }) => kind !== 'method' || !readsOnly(facts));
  const command = facts.parameters.find((parameter) => isShellCommand(parameter, facts));
  if (command !== undefined) return `commands given in '${command.name}'`;
  if (first === undefined) return undefined;
  return first.kind === 'method'
    ? `requests given in '${first.parameter}'`
    : `actions that only their name tells, given in '${first.parameter}'`;
}

const readsOnly = (facts: ToolFacts): boolean =>
  /\bget requests?\b(?!.*\b(?:post|put|patch|delete)\b)/i.test(facts.description.main);

function isShellCommand(parameter: ParameterFacts, facts: ToolFacts): boolean {
  const { key, description } = parameter;
  const lead = leadingEffect(facts);
  if (
    !/^(?:command|cmd)$/.test(key) ||
    !isOpen(parameter) ||
    FILTERS.test(description) ||
    namesStored(facts, parameter)
  )
    return false;
  return (
    (lead === undefined || !STORING.has(lead.effect)) &&
    !onlyHandles(facts) &&
    decidingKind(parameter, facts) === undefined
  );
}

function languageOf({ key, description }: ParameterFacts, facts: ToolFacts): string {
  const texts = `${key} ${description} ${firstSentence(facts.descriptionText)}`;
  if (/(?:^|_)(?:shell|bash|powershell|terminal|cli)/.test(key)) return 'commands';
  return /sql|cypher|graphql|gql|gremlin|sparql|mutation|quer|statement/i.test(texts) &&
    !/script|code|eval|js/.test(key)
    ? 'SQL or another language that can write'
    : 'code';
}
