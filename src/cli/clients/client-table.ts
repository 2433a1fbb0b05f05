import { posix, win32 } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';

/** Where a person's files are on this machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project, whose own files some clients read. */
  readonly cwd: string;
}

/** How the gateway is reached from a client. */
export type GatewayAddress =
  | { readonly kind: 'http'; readonly url: string; readonly token: string | undefined }
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] };

/** An MCP client: where it keeps its servers, and how it spells one. */
export interface McpClient {
  readonly id: string;
  readonly title: string;
  /** The files, a person's own first; `connect` writes that one. */
  readonly files: (machine: Machine) => readonly string[];
  readonly format: 'json' | 'toml';
  /** Where in the file the servers are by name; the first is written. */
  readonly blocks: (machine: Machine) => readonly (readonly string[])[];
  /** As a server of ours; undefined where it is none that others can start. */
  readonly read: (entry: JsonObject) => JsonObject | undefined;
  readonly write: (address: GatewayAddress) => JsonObject;
  /** Whether it starts servers only as programs. */
  readonly onlyStdio?: boolean;
}

const MCP_SERVERS = (): readonly (readonly string[])[] => [['mcpServers']];

/** Joins as the machine's system does, so that each platform's paths can be told on any. */
function joinOn({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** The folder of applications' settings: `~/Library/Application Support`, `%APPDATA%`, `~/.config`. */
function settingsFolder(machine: Machine): string {
  const { platform, home, env } = machine;
  if (platform === 'darwin') return joinOn(machine, home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? joinOn(machine, home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] ?? joinOn(machine, home, '.config');
}

/** Zed keeps its settings in `~/.config` on macOS too. */
function zedFolder(machine: Machine): string {
  const { platform, home } = machine;
  return platform === 'darwin'
    ? joinOn(machine, home, '.config', 'zed')
    : joinOn(machine, settingsFolder(machine), 'zed');
}

function bearer(token: string | undefined): JsonObject {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
}

function asProgram({ command, args }: Extract<GatewayAddress, { kind: 'stdio' }>): JsonObject {
  return { command, args: [...args] };
}

/** With the URL under one key, as most clients have it. */
function writeWith(urlKey: string, more: JsonObject = {}): McpClient['write'] {
  return (address) =>
    address.kind === 'stdio' ? asProgram(address) : { ...more, [urlKey]: address.url, ...bearer(address.token) };
}

const asWritten: McpClient['read'] = (entry) =>
  typeof entry['command'] === 'string' || typeof entry['url'] === 'string' ? entry : undefined;

/** `serverUrl` of Windsurf. */
function readWindsurf({ serverUrl, ...entry }: JsonObject): JsonObject | undefined {
  return asWritten(serverUrl === undefined ? entry : { ...entry, url: serverUrl });
}

/** Gemini's `url` is the older transport, `httpUrl` Streamable HTTP. */
/** Gemini CLI reads `$NAME` in any text as it does `${NAME}`; here only the latter is a variable. */
function readGemini(written: JsonObject): JsonObject | undefined {
  const { httpUrl, trust: _trust, ...entry } = withBraces(written) as JsonObject;
  if (httpUrl !== undefined) return asWritten({ ...entry, type: 'http', url: httpUrl });
  return asWritten(typeof entry['url'] === 'string' ? { ...entry, type: 'sse' } : entry);
}

function withBraces(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\$([A-Za-z_]\w*)/g, (_all, name: string) => `\${${name}}`);
  if (Array.isArray(value)) return value.map(withBraces);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withBraces(member)]));
}

/** Codex has headers in three keys, names of variables that are passed on, time-outs in seconds, and `enabled` where others have `disabled`. */
function readCodex(entry: JsonObject): JsonObject | undefined {
  const { http_headers, env_http_headers, bearer_token_env_var, enabled, env_vars, ...more } = entry;
  const { startup_timeout_sec, startup_timeout_ms, tool_timeout_sec, env, ...rest } = more;
  const passed = (Array.isArray(env_vars) ? env_vars : [])
    .map((each: unknown) => (isJsonObject(each) ? each['name'] : each))
    .filter((name) => typeof name === 'string')
    .map((name) => [name, `\${${name}}`] as const);
  const variables = { ...Object.fromEntries(passed), ...(isJsonObject(env) ? env : {}) };
  const connectTimeoutMs = inMilliseconds(startup_timeout_sec) ?? startup_timeout_ms;
  const timeoutMs = inMilliseconds(tool_timeout_sec);
  const fromEnv = isJsonObject(env_http_headers)
    ? Object.entries(env_http_headers).map(([key, name]) => [key, `\${${String(name)}}`] as const)
    : [];
  const headers = {
    ...(isJsonObject(http_headers) ? http_headers : {}),
    ...Object.fromEntries(fromEnv),
    ...(bearer_token_env_var === undefined ? {} : { Authorization: `Bearer \${${String(bearer_token_env_var)}}` }),
  };
  return asWritten({
    ...rest,
    ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(enabled === false ? { disabled: true } : {}),
  });
}

function inMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? Math.round(seconds * 1_000) : undefined;
}

/** Older versions of Zed have the program in an object; what an extension brings has no program. */
function readZed({
  command,
  enabled,
  source: _source,
  settings: _settings,
  ...entry
}: JsonObject): JsonObject | undefined {
  const off = enabled === false ? { disabled: true } : {};
  if (!isJsonObject(command)) return asWritten({ ...entry, ...off, ...(command === undefined ? {} : { command }) });
  const { path, args, env } = command;
  return asWritten({
    ...entry,
    ...off,
    command: path,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined || env === null ? {} : { env }),
  });
}

const CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    files: (machine) => [joinOn(machine, settingsFolder(machine), 'Claude', 'claude_desktop_config.json')],
    format: 'json',
    blocks: MCP_SERVERS,
    read: asWritten,
    write: writeWith('url'),
    onlyStdio: true,
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    files: (machine) => [joinOn(machine, machine.home, '.claude.json'), joinOn(machine, machine.cwd, '.mcp.json')],
    format: 'json',
    blocks: ({ cwd }) => [['mcpServers'], ['projects', cwd, 'mcpServers']],
    read: asWritten,
    write: writeWith('url', { type: 'http' }),
  },
  {
    id: 'cursor',
    title: 'Cursor',
    files: (machine) => [
      joinOn(machine, machine.home, '.cursor', 'mcp.json'),
      joinOn(machine, machine.cwd, '.cursor', 'mcp.json'),
    ],
    format: 'json',
    blocks: MCP_SERVERS,
    read: asWritten,
    write: writeWith('url'),
  },
  {
    id: 'vscode',
    title: 'VS Code',
    files: (machine) => [
      joinOn(machine, settingsFolder(machine), 'Code', 'User', 'mcp.json'),
      joinOn(machine, settingsFolder(machine), 'Code', 'User', 'settings.json'),
      joinOn(machine, machine.cwd, '.vscode', 'mcp.json'),
    ],
    format: 'json',
    blocks: () => [['servers'], ['mcp', 'servers']],
    read: asWritten,
    write: writeWith('url', { type: 'http' }),
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    files: (machine) => [joinOn(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json')],
    format: 'json',
    blocks: MCP_SERVERS,
    read: readWindsurf,
    write: writeWith('serverUrl'),
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    files: (machine) => [
      joinOn(machine, machine.home, '.gemini', 'settings.json'),
      joinOn(machine, machine.cwd, '.gemini', 'settings.json'),
    ],
    format: 'json',
    blocks: MCP_SERVERS,
    read: readGemini,
    write: writeWith('httpUrl'),
  },
  {
    id: 'codex',
    title: 'Codex',
    files: (machine) => [
      joinOn(machine, machine.env['CODEX_HOME'] ?? joinOn(machine, machine.home, '.codex'), 'config.toml'),
    ],
    format: 'toml',
    blocks: () => [['mcp_servers']],
    read: readCodex,
    write: (address) =>
      address.kind === 'stdio'
        ? asProgram(address)
        : {
            url: address.url,
            ...(address.token === undefined ? {} : { http_headers: { Authorization: `Bearer ${address.token}` } }),
          },
  },
  {
    id: 'zed',
    title: 'Zed',
    files: (machine) => [
      joinOn(machine, zedFolder(machine), 'settings.json'),
      joinOn(machine, machine.cwd, '.zed', 'settings.json'),
    ],
    format: 'json',
    blocks: () => [['context_servers']],
    read: readZed,
    write: writeWith('url'),
  },
];

export const MCP_CLIENTS: ReadonlyMap<string, McpClient> = new Map(CLIENTS.map((client) => [client.id, client]));
