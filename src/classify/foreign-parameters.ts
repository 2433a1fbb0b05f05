import { isJsonObject, type JsonSchema } from '../base/json/json.js';

/** The value of a grouped tool's parameter that an operation fixes. */
interface FixedValue {
  readonly parameter: string;
  readonly value: unknown;
}

/** Only one value: a parameter's text names the others as often as its own. */
const FEWEST_VALUES = 2;

/** Each value of a choice looks at all parameters. The most that a tool of 63 public servers has are some hundred. */
const MOST_PARAMETERS = 1_000;

const ESCAPED = /[.*+?^${}()|[\]\\]/g;

/**
 * The parameters, in the upstream's spelling, whose own description binds them to other values than the fixed one: `for push operation`,
 * `create mode only`, `For list mode:`. A tool's author says so in words where the schema cannot. A parameter that is required, or
 * whose description names the fixed value anywhere but beside `no effect`, is never among them.
 */
export function findForeignParameters(schema: JsonSchema, { parameter, value }: FixedValue): readonly string[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const choice = properties[parameter];
  const values = isJsonObject(choice) && Array.isArray(choice['enum']) ? choice['enum'] : [];
  if (typeof value !== 'string' || values.length < FEWEST_VALUES) return [];
  const names = Object.keys(properties);
  if (names.length > MOST_PARAMETERS) return [];
  const words = values.filter((each): each is string => typeof each === 'string' && each !== '');
  const lowerWords = words.map((word) => word.toLowerCase());
  let bound: RegExp | undefined;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return names.flatMap((name) => {
    const property = properties[name];
    if (name === parameter || required.includes(name) || !isJsonObject(property)) return [];
    const { description } = property;
    if (typeof description !== 'string' || !namesOne(description, lowerWords)) return [];
    bound ??= bindingPattern(words);
    return isBoundElsewhere(description, value, bound) ? [name] : [];
  });
}

/** Most descriptions name no value, and need no slower pattern. */
function namesOne(description: string, values: readonly string[]): boolean {
  const text = description.slice(0, LONGEST_READ).toLowerCase();
  return values.some((value) => text.includes(value));
}

/** `for push/pop operations`, `'create' mode only`, `in list mode`. */
function bindingPattern(values: readonly string[]): RegExp {
  const one = `['"\`]?(?:${values.map((value) => value.replace(ESCAPED, '\\$&')).join('|')})['"\`]?`;
  const list = `${one}(?:(?: ?[/,] ?| and | or |, or |, and )${one})*`;
  const kind = '(?:operations?|modes?|actions?|commands?|methods?)';
  const assigned = '\\w+ ?(?:=|is) ?';
  return new RegExp(
    `\\b(?:for|in|with|only) (?:the )?${list} ${kind}\\b|${list}(?: ${kind})? only\\b|\\((?:only )?(?:for|with|used by|required for) (?:the )?(?:${assigned})?${list}\\)|\\b(?:for|if|when|with) ${assigned}${list}(?=\\W|$)|\\bonly (?:for|with|when) (?:${assigned})?${list}(?=[).,;]|$)`,
    'i',
  );
}

/** Enough for what a parameter is for. */
const LONGEST_READ = 1_000;

/** What is required or a default for a value says nothing of the others. */
const LOOSE = /\b(?:required|mandatory|defaults?)\b[^.;)]*/gi;

function isBoundElsewhere(description: string, value: string, bound: RegExp): boolean {
  const text = description.slice(0, LONGEST_READ).replace(LOOSE, '');
  if (!bound.test(text)) return false;
  const named = new RegExp(`(?<![\\w-])${value.replace(ESCAPED, '\\$&')}(?![\\w-])`, 'i');
  const rest = text.replace(/\b(?:no effect|ignored|not used|unused)\b[^.;)]*/gi, '');
  return !named.test(rest);
}
