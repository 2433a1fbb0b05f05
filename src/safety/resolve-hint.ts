import { type DangerLevel, dangerRank, GATEWAY_SOURCE, type Operation, worseDanger } from '../protocol/operation.js';
import { actionOf } from './alarming-words.js';
import type { Hint } from './read-hint.js';

/** An operation that an action is about, with the danger that the action says. */
export interface MeantOperation {
  readonly operation: Operation;
  readonly danger: DangerLevel;
  /** `named` where the text has its name, `likely` where a search found it. */
  readonly by: 'named' | 'likely';
  /** The risks of the operation that the text names. */
  readonly risks: readonly string[];
}

/** The operations that an agent can call. */
export interface KnownOperations {
  find(name: string): Operation | undefined;
  /** Those that match a text, best first; none where nothing fits it. */
  search(text: string): Promise<readonly Operation[]>;
}

/** The part of a text that is searched for: what an action is about stands at its beginning. */
const SEARCHED_LENGTH = 500;

/** Operations that a search may mean: the first is the likeliest, and a report is no query of ten things. */
const MOST_LIKELY = 3;

/** The operations of the catalog that an action names; where it names none, those that a search finds for it. */
export async function resolveHint(hint: Hint, known: KnownOperations): Promise<readonly MeantOperation[]> {
  const named = namedIn(hint, known);
  if (named.length > 0) return named.map((operation) => meant(operation, hint, 'named'));
  const found = await known.search(hint.text.slice(0, SEARCHED_LENGTH));
  const reads = actionOf(hint.words)?.level === 'safe';
  return (
    found
      .filter((operation) => operation.upstream !== GATEWAY_SOURCE)
      .slice(0, MOST_LIKELY)
      .map((operation) => meant(operation, hint, 'likely'))
      // Words that only read mean no operation that writes, however well the rest of them fits.
      .filter(({ danger }) => !reads || danger === 'safe')
  );
}

function namedIn({ calls, words, text }: Hint, known: KnownOperations): readonly Operation[] {
  const forms = calls.flatMap((call) => [call.written, ...call.forms]);
  // A text of one word is a name, and one word of a sentence is none.
  const only = words.length === 1 ? [text.trim(), ...words] : [];
  const found = [...forms, ...words.filter((word) => word.includes('_')), ...only].flatMap(
    (name) => known.find(name) ?? [],
  );
  return [...new Map(found.map((operation) => [operation.qualifiedName, operation])).values()];
}

/** The operation's danger, raised by each of its risks that the text names: "delete_branch with force" is forced. */
function meant(operation: Operation, { words }: Hint, by: MeantOperation['by']): MeantOperation {
  const said = new Set(words.flatMap((word) => word.split(/[^a-z0-9]+/)));
  const named = (operation.classification.risks ?? []).filter(({ path }) =>
    path.some((name) => wordsOf(name).every((word) => said.has(word))),
  );
  const danger = named.reduce((level, risk) => worseDanger(level, risk.danger), operation.classification.danger.level);
  return { operation, danger, by, risks: named.map(({ reason }) => reason) };
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The worst danger among operations; undefined where there is none. */
export function worstMeant(meants: readonly MeantOperation[]): MeantOperation | undefined {
  return meants.toSorted((one, other) => dangerRank(other.danger) - dangerRank(one.danger))[0];
}
