import { toSnakeCase } from '../../protocol/snake-case.js';
import type { FieldPath } from '../collection-query.js';

/** A member of an object, real or described, as far as the search for its list needs it. */
export interface Member {
  readonly name: string;
  /** `rows` is a list of objects, `values` one of anything else; `unknown` may be a list or not. */
  readonly holds: 'rows' | 'values' | 'empty' | 'object' | 'text' | 'other' | 'unknown';
  readonly inside: () => readonly Member[];
}

export interface ListPlace {
  readonly path: FieldPath;
  readonly holds: Member['holds'];
  /** Whether the object is there for the list, rather than being one thing that has a list among its facts. */
  readonly isWhole: boolean;
}

/** What servers put around their answers. */
const WRAPPERS = new Set('result results response data payload body output value content items'.split(' '));

/** Members that say which thing an object is: it is no envelope then. */
const IDENTITIES = new Set('_id id uuid guid key slug sha number name title'.split(' '));

/** Words of members that speak of the list beside them. */
const ABOUT_LISTS = new Set(
  (
    'count counts total totals size length shown returned page pages cursor offset limit next previous prev has more ' +
    'truncated incomplete success ok error status message note query took'
  ).split(' '),
);

/**
 * The one list of an object, or of what it is wrapped in. A list of objects comes before lists of texts and numbers; where
 * several are left, none is guessed.
 */
export function findListPlace(members: readonly Member[]): ListPlace | undefined {
  if (members.filter(holdsRows).length > 1) return undefined;
  const found = levelsOf(members).flatMap(({ path, members: level }) => {
    const list = chooseList(level);
    return list === undefined
      ? []
      : [{ path: [...path, list.name], holds: list.holds, isWhole: isEnvelope(level, list) }];
  });
  return found.find(holdsRows) ?? found[0];
}

/** Where the lists are that `findListPlace` looks at. */
export function listPlaces(members: readonly Member[]): readonly FieldPath[] {
  return levelsOf(members).flatMap(({ path, members: level }) =>
    level.filter(isList).map(({ name }) => [...path, name]),
  );
}

interface Level {
  readonly path: FieldPath;
  readonly members: readonly Member[];
}

/** The object itself, and the inside of its wrapper where it has one. */
function levelsOf(members: readonly Member[]): readonly Level[] {
  const objects = members.filter(({ holds }) => holds === 'object');
  const named = objects.filter(({ name }) => WRAPPERS.has(name.toLowerCase()));
  const [wrapper] = members.length === 1 ? objects : named.length === 1 ? named : [];
  const outside: Level = { path: [], members };
  return wrapper === undefined ? [outside] : [outside, { path: [wrapper.name], members: wrapper.inside() }];
}

function chooseList(members: readonly Member[]): Member | undefined {
  const rows = members.filter(holdsRows);
  const lists = rows.length > 0 ? rows : members.filter(isList);
  return lists.length === 1 ? lists[0] : undefined;
}

function holdsRows({ holds }: Pick<Member, 'holds'>): boolean {
  return holds === 'rows';
}

function isList({ holds }: Member): boolean {
  return holds === 'rows' || holds === 'values' || holds === 'empty';
}

/** `{total, items}` is there for its items; an issue with its labels is not there for the labels. */
function isEnvelope(members: readonly Member[], list: Member): boolean {
  const others = members.filter((member) => member !== list);
  return list.holds === 'values'
    ? others.every(({ name, holds }) => holds === 'empty' || speaksOfList(name))
    : !others.some(({ name }) => IDENTITIES.has(name.toLowerCase()));
}

function speaksOfList(name: string): boolean {
  return toSnakeCase(name)
    .split('_')
    .some((word) => ABOUT_LISTS.has(word));
}
