/** Values that fit what introspection says of an operation's parameters. */

const WORDS = ['row', 'a', 'title of a row', 'ünïcode 😀', '$$results', 'null', '1e5', '2024-01-31', 'x'.repeat(300)];
const NUMBERS = [0, 1, -1, 0.1, 3.14, 1e21, 9007199254740991, -9007199254740991, 255, 1e-7, 123456789012345];

/** @param drawing numbers and choices of one worker */
export function createValidDrawing({ below, oneOf, chance }) {
  const text = ({ enum: values, pattern, minLength = 0 }) => {
    if (values !== undefined) return oneOf(values);
    // The only pattern of the upstream's tools.
    if (pattern !== undefined) return 'abcdefgh'.slice(0, 1 + below(8));
    return oneOf(WORDS).padEnd(minLength, 'a');
  };
  const number = ({ type, minimum = -1e21, maximum = 1e21 }) => {
    const fitting = NUMBERS.filter(
      (one) => one >= minimum && one <= maximum && (type !== 'integer' || Number.isInteger(one)),
    );
    return fitting.length > 0 ? oneOf(fitting) : minimum;
  };
  const list = ({ items = { type: 'string' } }) => {
    const values = Array.from({ length: below(6) }, () => value(items));
    return [...new Set(values)];
  };
  const value = (info) => {
    if (info.enum !== undefined) return oneOf(info.enum);
    if (info.type === 'integer' || info.type === 'number') return number(info);
    if (info.type === 'boolean') return chance(0.5);
    if (info.type === 'array') return list(info);
    if (info.type === 'string') return text(info);
    return undefined;
  };
  /** Members for those of the parameters that a value is known for. */
  const members = (parameters) =>
    Object.fromEntries(
      parameters
        .filter(({ required }) => required || chance(0.5))
        .map((info) => [info.name, info.name === 'input' ? input(info) : value(info)])
        .filter(([, one]) => one !== undefined),
    );
  /** The fields of an update are in the description of `input`. */
  const input = ({ description = '' }) => ({
    ...(/\btitle\b/.test(description) && { title: oneOf(WORDS) }),
    ...(/\bcount\b/.test(description) && { count: chance(0.2) ? null : oneOf(NUMBERS) }),
  });
  /** Of the gateway's own parameters, those that a random value makes no sense of are left out. */
  const OWN = new Set(['id', 'title', 'tags', 'limit', 'force', 'sql', 'action', 'input', 'count']);
  return {
    call: ({ name, parameters }) => ({
      operation: name,
      params: members(parameters.filter((one) => OWN.has(one.name))),
    }),
  };
}
