import { removeInvisible } from '../../protocol/invisible-text.js';
import { cutText } from '../clean-text.js';

const MAX_LENGTH = 60;
const MAX_VALUES = 30;

/** A value as errors and descriptions show it: in single quotes where a string, never long. */
export function quoteValue(value: unknown): string {
  return typeof value === 'string'
    ? `'${cutText(removeInvisible(value), MAX_LENGTH)}'`
    : cutText(removeInvisible(JSON.stringify(value) ?? 'null'), MAX_LENGTH);
}

/** Several values in a row; where there are many, the first ones and how many follow. */
export function quoteValues(values: readonly unknown[], separator = ', '): string {
  const shown = values.slice(0, MAX_VALUES).map(quoteValue).join(separator);
  return values.length > MAX_VALUES ? `${shown} and ${values.length - MAX_VALUES} more` : shown;
}
