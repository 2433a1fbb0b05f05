import type { Deciding } from '../base/protocol/operation.js';
import { FILTERS } from './argument-fields.js';
import type { ParameterFacts, ToolFacts } from './facts.js';
import { effectOfAction, isLoss } from './judge-value.js';
import { saidToLose } from './read-value.js';
import { carrierInWords, findCarriers, firstSentence, namesStored, STORING } from './runner.js';
import { readListedValues } from './text/listed-values.js';
import { type Effect, readShare } from './words/lexicon.js';

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
    return reads && findCarriers(facts).length === 0 ? undefined : 'method';
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
  if (namesStored(facts, parameter.words)) return undefined;
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
export function findRunner(facts: ToolFacts): string | undefined {
  const deciding = findDeciding(facts);
  const carrier = findCarriers(facts).find(({ field: { path } }) => !decides(path, deciding));
  if (carrier !== undefined) return carrierInWords(carrier);
  const [first] = deciding.filter(({ kind }) => kind !== 'method' || !readsOnly(facts));
  if (first === undefined) return undefined;
  return first.kind === 'method'
    ? `requests given in '${first.parameter}'`
    : `actions that only their name tells, given in '${first.parameter}'`;
}

const decides = ([first]: readonly string[], deciding: readonly Deciding[]): boolean =>
  deciding.some(({ parameter, kind }) => parameter === first && kind !== 'method');

const readsOnly = (facts: ToolFacts): boolean =>
  /\bget requests?\b(?!.*\b(?:post|put|patch|delete)\b)/i.test(facts.description.main);
