/**
 * About how many characters the JSON text of a value has, counted no further than a bound: a value that nothing is known of may
 * be as long as a message. Without recursion, since it may be as deep.
 */
export function measureJson(value: unknown, most: number): number {
  let length = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && length <= most) {
    const next = open.pop();
    if (typeof next === 'string') length += next.length + 2;
    else if (Array.isArray(next)) {
      length += next.length;
      if (length <= most) for (const item of next) open.push(item);
    } else if (typeof next === 'object' && next !== null) length += openMembers(next, most - length, open);
    else length += 4;
  }
  return length;
}

/** The names are read one by one, so that a hundred thousand members cost no more than the bound. */
function openMembers(value: object, most: number, open: unknown[]): number {
  let length = 2;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    length += name.length + 4;
    if (length > most) break;
    open.push(members[name]);
  }
  return length;
}
