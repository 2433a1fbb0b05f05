import { toSnakeCase } from '../protocol/snake-case.js';

/** What an upstream is called where its name qualifies operations: `GitHub-API` is `git_hub_api`. */
export function toSlug(name: string): string {
  return toSnakeCase(name, 'mcp');
}
