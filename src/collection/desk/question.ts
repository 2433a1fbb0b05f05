import { digest } from '../../protocol/canonical-json.js';
import type { CollectionQuery } from '../collection-query.js';
import type { ReadContext } from '../result-desk.js';

/** What a list of pages answers: the call, and how its items were chosen and ordered. */
export function questionOf({ operation, arguments: args }: ReadContext, query: CollectionQuery | undefined): string {
  return `${digest([operation.qualifiedName, args])} ${choiceOf(query)}`;
}

/**
 * Whether a cursor's list answers this call. Whoever goes on need not repeat how the items were chosen; whoever chooses
 * otherwise needs another list.
 */
export function isSameQuestion(asked: string, context: ReadContext, query: CollectionQuery): boolean {
  const [call, choice] = questionOf(context, query).split(' ');
  const [askedCall, askedChoice] = asked.split(' ');
  return call === askedCall && (choice === NO_CHOICE || choice === askedChoice);
}

function choiceOf(query: CollectionQuery | undefined): string {
  const { filter = [], text, sort = [] } = query ?? {};
  return digest([filter, text?.terms ?? [], sort]);
}

const NO_CHOICE = choiceOf(undefined);
