import { isJsonObject, type JsonSchema } from '../../protocol/json.js';

/** Longer chains of references are circles or mischief. */
const MAX_HOPS = 32;

/**
 * The schema that a `$ref` finally points to, or the schema itself where it has none. Only references inside the document
 * are followed; undefined for remote, broken and circular ones.
 */
export function followReference(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  let current: unknown = schema;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isJsonObject(current)) return undefined;
    const reference = current['$ref'];
    if (typeof reference !== 'string') return current;
    current = lookUp(reference, root);
  }
  return undefined;
}

/** A JSON pointer in a URI fragment (RFC 6901, section 6). */
function lookUp(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let current: unknown = root;
  for (const token of decodeFragment(reference.slice(2)).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A stray percent sign: the author did not encode, so neither do we decode.
    return fragment;
  }
}
