import type { JsonObject } from '../../base/json/json.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { Operation } from '../../base/protocol/operation.js';

type Subject = Partial<Pick<Operation, 'identifiers' | 'classification'>>;

/** Names of parameters that carry what is run: commands, code, queries. */
const RUNS =
  /(?:^|_)(?:commands?|cmds?|cmdline|shell|bash|scripts?|snippet|expression|javascript|python|sql|query|queries|statements?|cypher|gql|graphql|mutation)$|^(?:code|source|source_code|program|functions?|js|args|arguments|(?:python|js|javascript|script|shell)_code)$/;

/** Names of parameters that say what is affected. */
const IDENTIFIES =
  /(?:^|_)(?:ids?|uuids?|paths?|names?|keys?|slug|number|ref|urls?|uri|files?|folder|directory|table|database|bucket|branch|repo|repository|owner|project|host|to|recipients?|source|destination|target)$/;

/** Whether a parameter's value is run. */
export function isRunnerParameter({ classification }: Subject, key: string): boolean {
  if (RUNS.test(toSnakeCase(key))) return true;
  return classification?.danger.reasons.some((reason) => reason.includes(`given in '${key}'`)) ?? false;
}

/** The arguments in the order of their importance to a person: what is run, what is affected, the rest. */
export function orderParameters(operation: Subject, args: JsonObject): JsonObject {
  const identifiers = new Set(operation.identifiers?.map((name) => toSnakeCase(name)));
  const rank = (key: string): number => {
    if (isRunnerParameter(operation, key)) return 0;
    const name = toSnakeCase(key);
    return identifiers.has(name) || IDENTIFIES.test(name) ? 1 : 2;
  };
  const ranked = Object.keys(args).map((key) => ({ key, rank: rank(key) }));
  return Object.fromEntries(ranked.toSorted((a, b) => a.rank - b.rank).map(({ key }) => [key, args[key]]));
}
