import { quoteValues } from '../../catalog/schema/quote-value.js';
import type { ParamCondition } from '../../config/policy-config.js';
import { conditionInWords } from './condition-words.js';
import { eachOf, type Match } from './match.js';
import type { Clause, RuledCall } from './match-rule.js';
import { compileCondition, OPAQUE } from './match-value.js';
import { locateParameter, readValues } from './read-parameter.js';

/** The condition on one parameter; where its path leads through lists, on each value that it reaches. */
export function compileParameter(key: string, condition: ParamCondition): Clause<RuledCall> {
  const matches = compileCondition(condition);
  return {
    match: ({ operation, args }) => eachOf(readValues(args, locateParameter(operation, key)).map(matches)),
    explain: (call, match) => explainParameter(key, condition, call, match),
  };
}

function explainParameter(
  key: string,
  condition: ParamCondition,
  { operation, args }: RuledCall,
  match: Match,
): string {
  const path = locateParameter(operation, key);
  const values = readValues(args, path).filter((value) => value !== undefined);
  const words = conditionInWords(condition);
  const parameter = `parameter '${key}'`;
  if (values.length === 0) {
    return match === 'yes' ? `${parameter} is not given` : `${parameter} is not given and would have to ${words.would}`;
  }
  const shown =
    values.includes(OPAQUE) || operation.sensitive?.includes(path[0]) === true ? '' : ` ${quoteValues(values)}`;
  const subject = `${parameter}${shown}`;
  if (match === 'yes') return `${subject} ${words.does}`;
  return `${subject} ${match === 'doubt' ? 'may' : 'would have to'} ${words.would}`;
}
