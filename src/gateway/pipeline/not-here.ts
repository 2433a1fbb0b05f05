import { NothingFound, OperationError } from '../../base/protocol/operation-error.js';
import { type Absence, nameAbsence } from '../../base/protocol/tools.js';
import type { Snapshot } from './snapshot.js';

/** Servers that are named; of more only how many. */
const MOST_NAMED = 20;

type Seen = Pick<Snapshot, 'catalog' | 'connections'>;

/**
 * The servers that could not be asked just now, with what to do, for every answer that something does not exist: one that is not here now may
 * have it. Of those that exist for the caller, and none that an operator has disabled. Empty where there is none.
 */
export function tellNotHere(seen: Seen): string {
  const absent = listAbsent(seen);
  if (absent.length === 0) return '';
  const named = absent.slice(0, MOST_NAMED).map(([slug, absence]) => `'${slug}' (${nameAbsence(absence)})`);
  const more = absent.length > MOST_NAMED ? ` and ${absent.length - MOST_NAMED} more` : '';
  const steps = new Set(absent.map(([, absence]) => stepFor(absence)));
  return `Unavailable now, and may have it: ${named.join(', ')}${more}. Before you conclude there is none: ${[...steps].join('; ')}`;
}

/** A refusal that says that something does not exist, with the servers that could not be asked. */
export function withNotHere(error: OperationError, seen: Seen): OperationError {
  const told = error instanceof NothingFound ? tellNotHere(seen) : '';
  if (told === '') return error;
  const unavailable = listAbsent(seen)
    .slice(0, MOST_NAMED)
    .map(([upstream, absence]) => ({ upstream, state: nameAbsence(absence), retry_after_ms: retryOf(absence) }));
  return new OperationError(error.code, `${error.message}${error.message.endsWith('?') ? '' : '.'} ${told}`, {
    ...error.details,
    unavailable,
  });
}

function listAbsent({ catalog, connections }: Seen): readonly (readonly [string, Absence])[] {
  return catalog.upstreams.flatMap((slug) => {
    const absence = connections.absenceOf(slug) ?? connections.unreadOf(slug);
    return absence === undefined || absence.stopped === 'disabled' ? [] : [[slug, absence] as const];
  });
}

function needsAccount({ refusal }: Absence): boolean {
  return refusal?.details['reason'] === 'credentials_required';
}

/** Undefined where asking again changes nothing. */
function retryOf(absence: Absence): number | undefined {
  return absence.stopped !== undefined || needsAccount(absence) ? undefined : absence.retryAfterMs;
}

function stepFor(absence: Absence): string {
  if (needsAccount(absence)) return 'the user connects the account';
  if (absence.stopped !== undefined) return "an operator runs 'mcp-aql-gateway doctor'";
  return absence.retryAfterMs === 0 ? 'ask again in a moment' : 'ask again after the next try';
}
