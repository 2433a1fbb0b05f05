/** Longer texts say what may be given before. */
const LONGEST = 6_000;
const MOST = 60;

const VALUE = '[A-Za-z][\\w.:/-]{1,60}';
/** Without what separates values, so that there is one way to read a text. */
const ONE = '[A-Za-z][\\w-]{1,60}';
const QUOTE = '[`\'"\\u2018\\u2019\\u201c\\u201d]';
/** `- list_kites: List all kites`, `1. list`, `* **list** (lists)`. */
const BULLET = new RegExp(
  `^[ \\t]*(?:[-*\\u2022]|\\d+[.)])[ \\t]+[*_]{0,2}${QUOTE}?(${VALUE})${QUOTE}?[*_]{0,2}[ \\t]*(?:[:(=\\u2013\\u2014]|- |$)`,
  'gm',
);
const QUOTED = new RegExp(`${QUOTE}(${VALUE})${QUOTE}`, 'g');
/** `a, b or c`, `a|b|c`, also in brackets or behind a colon; each of them one word. */
const SERIES = new RegExp(
  `(?:^|[:(\\[]\\s*)(${ONE}(?:(?:\\s?[,|/]\\s?(?:or |and )?| or | and )${ONE})+)\\s*(?=[)\\].;\\n]|$)`,
  'g',
);
/** In a tool's text a list is about the parameter only behind one of these. */
const ANNOUNCED = /\b(?:one of|values?|actions?|operations?|commands?|modes?|methods?|ops|choose)\b/i;

/**
 * Reads the values that a parameter may take out of the texts, where its schema leaves them open: bullets, quotes, "One of: a, b",
 * "(a, b, c)", `action="a"`.
 * @param name the parameter; names of the other parameters are no values
 */
export function readListedValues(
  name: string,
  described: string,
  toolText: string,
  parameters: ReadonlySet<string>,
): readonly string[] {
  const own = collect(described, name, parameters, true);
  if (own.length > 1) return own;
  const whole = collect(toolText, name, parameters, false);
  return whole.length > 1 ? whole : [];
}

function collect(text: string, name: string, parameters: ReadonlySet<string>, isOwn: boolean): readonly string[] {
  const read = text.slice(0, LONGEST);
  if (!isOwn && !ANNOUNCED.test(read) && !/^[ \t]*(?:[-*\u2022]|\d+[.)])/m.test(read)) return [];
  const bullets = [...read.matchAll(BULLET)].map(([, value = '']) => value);
  const quoted = [...read.matchAll(QUOTED)].map(([, value = '']) => value);
  const series = [...read.matchAll(SERIES)].flatMap(([, list = '']) =>
    list.split(/\s*[,|/]\s*(?:or |and )?|\s+or\s+|\s+and\s+/),
  );
  const assigned = [
    ...read.matchAll(new RegExp(`\\b${name.replace(/\W/g, '')}\\s*=\\s*${QUOTE}?(${VALUE})`, 'gi')),
  ].map(([, value = '']) => value);
  const found = [bullets, assigned, quoted, series].find(
    (list) => new Set(list.filter((value) => isValue(value, name, parameters))).size > 1,
  );
  if (found === undefined) return [];
  return [...new Set(found.filter((value) => isValue(value, name, parameters)))].slice(0, MOST);
}

function isValue(value: string, name: string, parameters: ReadonlySet<string>): boolean {
  return value !== name && !parameters.has(value) && /[a-z]$|\d$/i.test(value);
}
