import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { JsonObject } from '../../base/json/json.js';

/** The name of the package, and of its program. */
const PROGRAM = 'mcp-aql-gateway';

/** Programs that start what their first argument names. */
const LAUNCHERS = new Set('npx bunx pnpx uvx npm pnpm yarn bun deno node tsx env cmd sh bash'.split(' '));

/** What may stand between a launcher and the program. */
const BETWEEN = /^(?:-|\/c$|dlx$|exec$|run$|x$|\w+=)/i;

/**
 * Whether an entry of `mcpServers` is a gateway: one that is started, or one of those that are reached at these addresses. A gateway that
 * is a server of its own would offer everything twice, and start itself without end.
 * @param addresses where gateways of this machine are reached, as URLs; the paths of views belong to them
 */
export function isOwnGateway({ command, args, url }: JsonObject, addresses: readonly string[]): boolean {
  const words = Array.isArray(args) ? args.map(String) : [];
  const places = new Set(addresses.flatMap((address) => placeOf(address) ?? []));
  // `mcp-remote URL` and its like reach a server by its address.
  const named = [String(url ?? ''), ...words].flatMap((word) => placeOf(word) ?? []);
  if (named.some((place) => places.has(place))) return true;
  return typeof command === 'string' && startsGateway([command, ...words]);
}

/** Whether a command line starts the program; what is only named in an argument of another program does not count. */
function startsGateway([command = '', ...args]: readonly string[]): boolean {
  if (isProgram(command)) return true;
  const launcher = basename(command.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat)$/i, '');
  if (!LAUNCHERS.has(launcher.toLowerCase())) return false;
  for (const [index, word] of args.entries()) {
    // A line for a shell, and the package that `npx -p` names.
    if (word.split(/[\s=]+/).some(isProgram)) return true;
    if (BETWEEN.test(word)) continue;
    return startsGateway(args.slice(index));
  }
  return false;
}

function isProgram(word: string): boolean {
  const path = word.replaceAll('\\', '/');
  const [name = ''] = basename(path)
    .replace(/\.(?:cmd|exe|ps1)$/i, '')
    .split('@');
  if (name === PROGRAM && !path.endsWith('/')) return true;
  return new RegExp(`(?:^|/)${PROGRAM}/dist/cli/main\\.c?js$`).test(path) || isThisFile(word);
}

/** Whether it is the file of the program that runs, by whatever path. */
function isThisFile(word: string): boolean {
  const own = process.argv[1];
  if (own === undefined || !/[\\/]/.test(word)) return false;
  try {
    return realpathSync(word) === realpathSync(own);
  } catch {
    return word === own;
  }
}

/** Host and port, all names of this machine's own as one; undefined where a word is no address of a server. */
function placeOf(word: string): string | undefined {
  if (!/^https?:\/\//i.test(word) || !URL.canParse(word)) return undefined;
  const { protocol, hostname, port } = new URL(word);
  const isLocal = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1?\]|0\.0\.0\.0)$/.test(hostname);
  return `${isLocal ? 'localhost' : hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
