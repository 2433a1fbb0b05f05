import { fastFormats, fullFormats } from 'ajv-formats/dist/formats.js';

/** `readable` refuses what no reading of a notation accepts, `strict` what its standard does not. */
export type Formats = 'readable' | 'strict';

type Test = (value: unknown) => boolean;

/** No format that is known here has longer texts, and some forms look at a text more than once. */
const LONGEST_FORMATTED = 10_000;

/** Whether a value may be in a notation; undefined where nothing is refused. Of values of other types than its own, none is. */
export function formatTest(name: unknown, formats: Formats): Test | undefined {
  const known = formats === 'strict' ? STRICT : READABLE;
  return typeof name === 'string' && Object.hasOwn(known, name) ? readFormat(known[name]) : undefined;
}

/** Dates as the calendar has them; for the rest the simple forms, which are linear. */
const STRICT: Readonly<Record<string, unknown>> = {
  ...fastFormats,
  date: fullFormats.date,
  time: fullFormats.time,
  'date-time': fullFormats['date-time'],
};

/** ISO 8601: with hyphens and colons or without, weeks and days of the year, any precision, with or without a zone. */
const DATE = /^(?:[+-]\d\d)?\d{4}(?:-?(?:\d\d|W\d\d(?:-?[1-7])?|\d{3})|-\d\d-\d\d|\d{4})?$/;
const TIME = /^[Tt]?(?:[01]\d|2[0-4])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?(?: ?[Zz]|[+-]\d\d(?::?\d\d)?)?$/;
const DURATION =
  /^[+-]?P(?!$)(?:\d+(?:[.,]\d+)?Y)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?W)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?$/i;

/** As a whole day of the calendar, where it is written as one. */
function isDate(text: string): boolean {
  const [, ...day] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text) ?? [];
  return DATE.test(text) && (day.length === 0 || formatTest('date', 'strict')?.(day.join('-')) !== false);
}

function isDateTime(text: string): boolean {
  const at = text.search(/[Tt _]/);
  return at < 0 ? isDate(text) : isDate(text.slice(0, at)) && TIME.test(text.slice(at + 1));
}

/** The other notations have more readings than there are standards: internationalised names, addresses with blanks. */
const READABLE: Readonly<Record<string, unknown>> = {
  date: isDateTime,
  time: TIME,
  'date-time': isDateTime,
  duration: DURATION,
  email: /@/,
  'idn-email': /@/,
  ipv4: fastFormats.ipv4,
  ipv6: /:/,
  uuid: /^(?:urn:uuid:)?\{?[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}\}?$/i,
  int32: fastFormats.int32,
  int64: fastFormats.int64,
};

function readFormat(definition: unknown): Test | undefined {
  const texts = readTextTest(definition);
  if (texts !== undefined)
    return (value) => typeof value !== 'string' || value.length > LONGEST_FORMATTED || texts(value);
  if (typeof definition !== 'object' || definition === null || !('validate' in definition)) return undefined;
  if ('type' in definition && definition.type === 'number') {
    const { validate } = definition;
    return typeof validate === 'function'
      ? (value) => typeof value !== 'number' || validate(value) === true
      : undefined;
  }
  return readFormat(definition.validate);
}

function readTextTest(definition: unknown): ((text: string) => boolean) | undefined {
  if (definition instanceof RegExp) return (text) => definition.test(text);
  return typeof definition === 'function' ? (text) => definition(text) === true : undefined;
}
