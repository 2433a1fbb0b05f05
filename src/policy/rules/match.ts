/**
 * Whether something matches. `doubt` where it cannot be told, as with text where a number is compared: a rule that denies or
 * confirms then counts as matching, a rule that allows does not, and nothing lifts the trust matrix.
 */
export type Match = 'yes' | 'doubt' | 'no';

const RANKS: Readonly<Record<Match, number>> = { no: 0, doubt: 1, yes: 2 };

/** All must hold; of nothing, all do. */
export function allOf(matches: readonly Match[]): Match {
  return matches.reduce<Match>((least, match) => (RANKS[match] < RANKS[least] ? match : least), 'yes');
}

/** One must hold; of nothing, none does. */
export function anyOf(matches: readonly Match[]): Match {
  return matches.reduce<Match>((most, match) => (RANKS[match] > RANKS[most] ? match : most), 'no');
}

/**
 * Of the elements of one list: certain where all agree, else in doubt. So one element suffices to deny a call, and only all of
 * them to allow it.
 */
export function eachOf(matches: readonly Match[]): Match {
  const [first = 'no', ...rest] = matches;
  return rest.every((match) => match === first) ? first : 'doubt';
}
