/** More scopes than that are never asked for: a server that demands another one at each call must come to an end. */
const MAX_SCOPES = 50;
/** They are sent in an address, which may not be longer than browsers and servers take. */
const MAX_LENGTH = 4_000;
/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** The scopes of a text, each once; what is no scope, and what exceeds the bound, is left out. */
export function readScopes(...texts: readonly string[]): readonly string[] {
  const named = texts.flatMap((text) => text.slice(0, 4 * MAX_LENGTH).split(' ')).filter((each) => SCOPE.test(each));
  const scopes = [...new Set(named)].slice(0, MAX_SCOPES);
  let length = 0;
  return scopes.filter((scope) => {
    length += scope.length + 1;
    return length <= MAX_LENGTH;
  });
}
