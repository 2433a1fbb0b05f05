/**
 * A name in snake_case, as it qualifies operations: `Git Hub-API` is `git_hub_api`. Never holds two underscores in a row,
 * which separate upstream and operation. Empty when the name has no Latin letter or digit.
 */
export function toSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  // Public names start with a letter (specification, section 8.5.2).
  return /^\d/.test(words) ? `mcp_${words}` : words;
}
