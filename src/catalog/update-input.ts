import { isJsonObject } from '../base/json/json.js';
import type { Parameter } from '../base/protocol/operation.js';

/** What a rule reads: a parameter's name in words, and the words of the operation's name. */
interface Clue {
  readonly name: string;
  readonly words: readonly string[];
  readonly required: boolean;
  readonly operationWords: ReadonlySet<string>;
}

interface IdentifierRule {
  /** How surely it identifies the resource; where all parameters look like identifiers, the weakest becomes the input. */
  readonly weight: number;
  /** Counts only where there is no id: beside an id, a name or a query is a field that changes. */
  readonly insteadOfId?: true;
  readonly applies: (clue: Clue) => boolean;
}

const wordsIn = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const ID_WORDS = wordsIn('id ids uuid uuids guid gid iid uid key keys slug number identifier ref arn');
const PURE_IDS = wordsIn('id ids uuid guid gid iid uid');
const PATHS = wordsIn('path paths file filename filepath file_name');
const SOURCES = wordsIn('source from source_path from_path source_file old_name old_path current_name current_path');
const SCOPES = wordsIn(
  'owner repo repository project workspace account org organization organisation namespace tenant team group region zone cluster ' +
    'environment database db schema table collection bucket catalog dataset index keyspace app application site domain server host ' +
    'device service board base channel guild session',
);

/** What selects the resources of an update that has no id for them. */
const SELECTORS = wordsIn(
  'condition conditions where where_clause filter filters selector selectors query match criteria',
);

/** Switches of the call, which say how it is carried out and are no fields of the resource. */
const CALL_SWITCH =
  /^(?:dry_run|simulate|preview|validate|force|confirm|confirmed|yes|notify|silent|quiet|verbose|upsert|overwrite|recursive|async|wait|no_verify|minor_edit)$|^(?:validate|force|notify|send|create|initialize|init|wait|return|include|skip)_(?:only|if|for|all|missing|parents?|notifications?|updates|emails?|invites?|metadata|\w*_(?:changes|updates|repo|exists|missing|absent|present|lease|checks?|hooks?))(?:_\w+)?$/;
/** The same, with a text as their value. */
const CALL_NOTE = /^(?:commit_message|change_note|change_reason|edit_summary|version_message)$/;

/** What a resource holds, even where the operation is named after it. */
const CONTENTS = wordsIn(
  'text content contents body data value description title name message comment note version password config configuration ' +
    'setting script patch state status color type mode position size',
);

/** Verbs of operations that choose what later calls work on. */
const CHOOSING = wordsIn('set switch select use choose');
/** What a path names, where it is chosen. */
const PLACES = wordsIn('dir directory folder workspace root cwd path location worktree');

/** A parameter that begins with one of these carries the new state. */
const NEW_STATE = wordsIn('new to target destination dest add remove replace replacement next desired updated');

/** Rules of at least this weight identify by an id. */
const ID_WEIGHT = 5;

/** Evidence that a parameter identifies the resource of an UPDATE instead of changing it; the first rule that applies counts. */
const IDENTIFIER_RULES: readonly IdentifierRule[] = [
  // `issue_id` of `update_issue`, `id` of anything: also where the upstream offers a choice of identifiers, all optional.
  { weight: 6, applies: ({ name }) => PURE_IDS.has(name) },
  { weight: 6, applies: ({ words, operationWords }) => isIdOf(words, operationWords) },
  // Any other id is an identifier where it is required, else a reference to be changed (`milestone_id`, `label_ids`).
  { weight: 5, applies: ({ words, required }) => required && ID_WORDS.has(words.at(-1) ?? '') },
  { weight: 4, applies: ({ name, words, required }) => required && (PATHS.has(name) || words.at(-1) === 'path') },
  { weight: 4, applies: ({ name, required }) => required && SOURCES.has(name) },
  {
    weight: 4,
    insteadOfId: true,
    applies: ({ name, operationWords }) => SELECTORS.has(name) && !operationWords.has(singular(name)),
  },
  // The resource itself, as in `rename_app` with `app`; what `set_text` sets is not the resource.
  {
    weight: 4,
    applies: ({ name, required, operationWords }) => required && operationWords.has(name) && !CONTENTS.has(name),
  },
  { weight: 3, applies: ({ name, required }) => required && (name === 'url' || name === 'uri') },
  { weight: 2, applies: ({ name, required }) => required && SCOPES.has(name.replace(/_name$/, '')) },
  {
    weight: 1,
    applies: ({ name, words, required }) =>
      required && name !== 'name' && /^(?:host|user)?name$/.test(words.at(-1) ?? ''),
  },
  { weight: 1, insteadOfId: true, applies: ({ name, required }) => required && name === 'name' },
  { weight: 1, insteadOfId: true, applies: ({ name }) => name === 'path' },
];

/** Verbs that say by themselves what becomes of the resource. */
const STATING = wordsIn(
  'mark archive unarchive complete close reopen resolve approve publish unpublish pin unpin star unstar mute unmute enable disable ' +
    'activate deactivate lock unlock pause resume finish restore toggle follow unfollow acknowledge check uncheck favorite unfavorite',
);

/** Whether an UPDATE changes something where its input is empty: its name says what, and no field of the input is required. */
export function mayBeEmpty(operationName: string, parameters: readonly Parameter[]): boolean {
  // The verb may stand behind the name of a product.
  const states = operationName.split('_', 2).some((word) => STATING.has(word));
  return states && !parameters.some(({ place, required }) => place === 'input' && required);
}

/**
 * Splits an UPDATE's flat parameters into identifiers (place `params`) and fields that change (place `input`), as specification
 * 4.5 asks. Switches of the call stand beside `input`. At least one field is in `input`, else nothing could be updated.
 *
 * @param takesFurther whether fields that are not described may be in `input`, so that none of these must be
 * @param declared the identifiers that the operator names, in either spelling; they replace the evidence
 */
export function splitUpdateInput(
  operationName: string,
  parameters: readonly Parameter[],
  declared?: readonly string[],
  takesFurther = false,
): readonly Parameter[] {
  const switches = new Set(declared === undefined ? parameters.filter(isCallSwitch) : []);
  // A tool of switches alone changes what they say.
  if (switches.size === parameters.length) switches.clear();
  const fields = parameters.filter((parameter) => !switches.has(parameter));
  const weights =
    declared === undefined ? weighByEvidence(operationName, fields) : weighByDeclaration(declared, fields);
  const ranked = fields
    .map((parameter, index) => ({ parameter, index, weight: weights[index] ?? 0 }))
    .filter(({ weight }) => weight > 0)
    // The strongest first; among equals what is required, then what the schema names first.
    .sort(
      (a, b) => b.weight - a.weight || Number(b.parameter.required) - Number(a.parameter.required) || a.index - b.index,
    );
  const kept = takesFurther ? ranked : ranked.slice(0, fields.length - 1);
  const identifiers = new Set(kept.map(({ parameter }) => parameter));
  return parameters.map((parameter) => {
    if (switches.has(parameter)) return { ...parameter, eitherPlace: true };
    return identifiers.has(parameter) ? parameter : { ...parameter, place: 'input' };
  });
}

function isCallSwitch({ name, schema }: Parameter): boolean {
  if (CALL_NOTE.test(name)) return schema['type'] === 'string';
  return CALL_SWITCH.test(name) && (schema['type'] === 'boolean' || typeof schema['default'] === 'boolean');
}

/** Weighs by the operator's order: where one must become the input, it is the one that the operator named last. */
function weighByDeclaration(declared: readonly string[], parameters: readonly Parameter[]): readonly number[] {
  return parameters.map(({ name, upstreamName }) => {
    const index = declared.findIndex((identifier) => identifier === name || identifier === upstreamName);
    return index < 0 ? 0 : declared.length - index;
  });
}

function weighByEvidence(operationName: string, parameters: readonly Parameter[]): readonly number[] {
  const operationWords = new Set(operationName.split('_').map(singular));
  const rules = parameters.map((parameter) => findRule(parameter, operationWords));
  const chosen = parameters.filter((parameter) => isChosen(parameter, operationName));
  const others = parameters.filter((parameter, index) => rules[index] === undefined && !chosen.includes(parameter));
  // `set_workspace` with a path, and options beside it, sets the path.
  if (chosen.length === 1 && others.every(({ required }) => !required)) {
    return rules.map((rule, index) => (parameters[index] === chosen[0] ? 0 : (rule?.weight ?? 0)));
  }
  const hasId = rules.some((rule) => rule !== undefined && rule.weight >= ID_WEIGHT);
  return rules.map((rule) => (rule === undefined || (hasId && rule.insteadOfId === true) ? 0 : rule.weight));
}

/** Whether the operation chooses what the parameter names: `set_working_dir` its path, `switch_project` its project id. */
function isChosen({ name }: Parameter, operationName: string): boolean {
  const words = operationName.split('_').map(singular);
  const noun = words.at(-1) ?? '';
  if (!words.some((word) => CHOOSING.has(word))) return false;
  return name.split('_').map(singular).includes(noun) || (PATHS.has(name) && PLACES.has(noun));
}

function findRule(parameter: Parameter, operationWords: ReadonlySet<string>): IdentifierRule | undefined {
  const { name, required } = parameter;
  const words = name.split('_');
  const selects = SELECTORS.has(name) && parameter.schema['type'] !== 'boolean';
  if (name === 'input' || NEW_STATE.has(words[0] ?? '') || !(selects || canIdentify(parameter))) return undefined;
  const clue: Clue = { name, words, required, operationWords };
  return IDENTIFIER_RULES.find((rule) => rule.applies(clue));
}

/** Identifiers are names and numbers, or lists of them: not objects, flags or choices from a list. */
function canIdentify({ schema }: Parameter): boolean {
  const { type, items } = schema;
  const holdsObjects =
    isJsonObject(items) && items['type'] !== 'string' && items['type'] !== 'integer' && items['type'] !== 'number';
  const isChoice = schema['enum'] !== undefined || schema['const'] !== undefined;
  return type !== 'object' && type !== 'boolean' && !holdsObjects && !isChoice;
}

function isIdOf(words: readonly string[], operationWords: ReadonlySet<string>): boolean {
  return (
    words.length > 1 &&
    ID_WORDS.has(words.at(-1) ?? '') &&
    words.slice(0, -1).every((word) => operationWords.has(singular(word)))
  );
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=..[^s])s$/, '');
}
