import { QUALIFIER, RESERVED_OPERATIONS } from '../protocol/operation.js';
import { buildComputed } from './build-computed.js';
import type { CurationRule, ProfileDefinition } from './gateway-config.js';
import { isPattern } from './is-pattern.js';
import { suggestName } from './nearest-name.js';
import type { NotedDefinition } from './server-definition.js';

/** The families that a curation may name. */
export interface KnownFamilies {
  /** Of every profile: choosing another profile must not break a curation. */
  readonly all: ReadonlySet<string>;
  readonly active: ProfileDefinition;
}

/** The curation rules of every place that speaks of a server, in order. What is wrong goes into the notes. */
export function buildCuration(
  definitions: readonly NotedDefinition[],
  families: KnownFamilies,
): readonly CurationRule[] {
  const renamed = new Map<string, string>();
  return definitions.flatMap((definition) =>
    Object.entries(definition.entry.operations ?? {}).map(([pattern, { computed, ...operation }]) => {
      const at = [...definition.path, 'operations', pattern, 'computed'];
      const rule: CurationRule = {
        pattern,
        ...operation,
        ...(computed !== undefined && { computed: buildComputed(computed, at, definition.notes) }),
      };
      noteFamily(rule, definition, families);
      noteRename(rule, definition, renamed);
      return rule;
    }),
  );
}

function noteFamily({ pattern, family }: CurationRule, { path, notes }: NotedDefinition, known: KnownFamilies): void {
  if (family === undefined || known.active.families.some(({ name }) => name === family)) return;
  const at = [...path, 'operations', pattern, 'family'];
  if (!known.all.has(family)) {
    notes.problem(at, `no profile has a family '${family}'`, suggestName(family, known.all));
  } else {
    notes.warning(at, `the profile '${known.active.name}' has no family '${family}'; it has no effect`);
  }
}

function noteRename(
  { pattern, rename }: CurationRule,
  { path, notes }: NotedDefinition,
  renamed: Map<string, string>,
): void {
  if (rename === undefined) return;
  const at = [...path, 'operations', pattern, 'rename'];
  const other = renamed.get(rename);
  if (isPattern(pattern)) {
    notes.problem(at, 'a pattern may match many operations, which cannot share a name', 'rename under an exact name');
  } else if (rename.includes(QUALIFIER)) {
    notes.problem(at, `'${QUALIFIER}' stands between upstream and operation`, 'use single underscores');
  } else if (RESERVED_OPERATIONS.has(rename)) {
    notes.problem(at, `'${rename}' is a name that the protocol keeps for itself`, 'choose another name');
  } else if (other !== undefined && other !== pattern) {
    notes.problem(at, `'${other}' is renamed to '${rename}' too`, 'choose another name');
  }
  renamed.set(rename, pattern);
}
