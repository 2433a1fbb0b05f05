import type { ParameterFacts } from './facts.js';
import { PAGING } from './parameter-words.js';

/** Numbers that say how many, where or when. */
const COUNTED =
  /(?:^|_)(?:ids?|days?|weeks?|months?|years?|hours?|minutes?|seconds?|count|limit|size|lat|lon|lng|latitude|longitude|radius|depth|k|n|page|generations)$/;
/** Words of parameters that hold what is written or sent. */
const VALUE =
  /(?:^|_)(?:text|texts|message|note|notes|body|content|contents|data|payload|values?|amount|price|score|status|state|title|description|summary|reason|grounds?|e?mail|recipients?|to|phone|webhook|image|file|comment|answer|confirm|force|new|items|payee|password|action|method|mode|command)(?:_|$)/;

/** Whether a parameter may hold a value that is written, and does not only say which, how many, where or when. */
export function mayHoldValue({ key, number }: ParameterFacts): boolean {
  return number ? !PAGING.has(key) && !COUNTED.test(key) : VALUE.test(key);
}

/** A read hardly needs so many values. */
const MOST_REQUIRED = 2;

/** Whether all parameters only say which thing is meant, or how much of it is shown. */
export function takesNoValue(parameters: readonly ParameterFacts[]): boolean {
  return !parameters.some(mayHoldValue) && parameters.filter(({ required }) => required).length <= MOST_REQUIRED;
}
