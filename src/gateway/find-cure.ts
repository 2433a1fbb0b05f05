import type { UpstreamConfig } from '../config/gateway-config.js';

/** What is known of a server that does not work. */
export interface Symptom {
  readonly step: ExaminedStep;
  /** What went wrong, in words. */
  readonly message: string;
  /** What the server wrote to standard error, newest last. */
  readonly stderr: readonly string[];
  /** What a program wrote to standard output that is no MCP. */
  readonly noise: readonly string[];
}

/** The steps of an examination, in their order. */
export const EXAMINED_STEPS = ['configuration', 'resolve', 'start', 'handshake', 'list', 'call'] as const;

export type ExaminedStep = (typeof EXAMINED_STEPS)[number];

interface Cure {
  /** Matched against the message, the last lines of standard error and what is no MCP on standard output. */
  readonly sign: RegExp;
  readonly cure: (found: RegExpExecArray, config: UpstreamConfig) => string;
}

/** The first that fits counts, so that what is particular stands before what is general. */
const CURES: readonly Cure[] = [
  {
    sign: /command '([^']+)' (was not found|does not exist)/,
    cure: ([, command]) => `install '${command}', or write its full path in 'command' (which ${command})`,
  },
  { sign: /'([^']+)' is not executable/, cure: ([, file]) => `chmod +x '${file}'` },
  {
    sign: /working directory '([^']+)' does not exist/,
    cure: ([, folder]) => `correct 'cwd', or make the folder: mkdir -p '${folder}'`,
  },
  {
    sign: /npm (?:error|ERR!).*(?:404|E404|ETARGET)|No matching version found/i,
    cure: (_found, config) =>
      `there is no such package or version: correct its name in 'args' (npm view ${packageOf(config)})`,
  },
  {
    sign: /EADDRINUSE|address already in use/i,
    cure: (_found, config) =>
      `it wants a port that another program has: end that one, or give it another port in its 'args' or 'env' (${nameOf(config)})`,
  },
  {
    sign: /(?:Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ModuleNotFoundError|No module named) ?'?([^'\s]*)/,
    cure: ([, module]) => `it is not completely installed: install '${module}' where it runs, or build it`,
  },
  {
    sign: /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?=[^\n]*(?:required|missing|not set|not defined|must be set|undefined|provide))/,
    cure: ([, name]) => `set ${name} in its 'env': a child gets no other variables of the gateway than a few`,
  },
  {
    sign: /(?:required|missing|not set|must set|provide|set)[^\n]*\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/i,
    cure: ([, name]) => `set ${name} in its 'env': a child gets no other variables of the gateway than a few`,
  },
  {
    sign: /HTTP 401/,
    cure: () => `give it a valid token: 'headers': {"Authorization": "Bearer \${TOKEN}"}`,
  },
  {
    sign: /HTTP 403/,
    cure: () => 'the token lacks rights, or the server does not accept this address: ask who runs it',
  },
  {
    sign: /self-signed|cannot be verified|issuer certificate/,
    cure: () => 'trust its authority: "tls": {"ca": "/path/of/authority.pem"}',
  },
  {
    sign: /asks for a certificate|certificate required/i,
    cure: () =>
      'show it a certificate that it accepts: "tls": {"cert": "/path/of/cert.pem", "key": "/path/of/key.pem"}',
  },
  {
    sign: /the proxy \S+/,
    cure: () => "correct 'proxy', the rights of its user, or what it lets through: it was the proxy that refused",
  },
  { sign: /'tls\.\w+' '([^']+)' cannot be read/, cure: ([, file]) => `let the gateway's user read '${file}'` },
  { sign: /certificate has expired/, cure: () => 'its operator has to renew the certificate' },
  { sign: /certificate is for another host/, cure: () => "use the host name that the certificate is for in 'url'" },
  { sign: /does not speak TLS/, cure: () => "write http:// instead of https:// in 'url', or another port" },
  {
    sign: /host name not found/,
    cure: () => "correct the host in 'url'; in a container, names of other machines may not be known",
  },
  { sign: /connection refused/, cure: () => "start the server, or correct the port in 'url'" },
  {
    sign: /no MCP endpoint|text\/html|content[ -]type|<!doctype|<html|HTTP 404|HTTP 405/i,
    cure: () => 'its URL is no MCP endpoint: correct \'url\', which often ends in /mcp, or in /sse with "type": "sse"',
  },
  {
    sign: /no answer|in time|did not answer|timed? ?out/i,
    cure: (_found, config) =>
      config.endpoint.type === 'stdio'
        ? "it started and is silent: does it need an argument such as 'stdio' or '--stdio'? A slow one needs a higher 'connectTimeoutMs'"
        : "it takes requests and does not answer: look at it, or raise 'connectTimeoutMs'",
  },
  {
    sign: /exited|ended|its last words/,
    cure: (_found, config) =>
      `it ends by itself: ${tryByHand(config)}, and see: mcp-aql-gateway logs ${nameOf(config)}`,
  },
];

/** The next thing that an operator should do. */
export function findCure(config: UpstreamConfig, { step, message, stderr, noise }: Symptom): string {
  const texts = [message, ...stderr.slice(-40), ...noise.slice(-5)].join('\n');
  for (const { sign, cure } of CURES) {
    const found = sign.exec(texts);
    if (found !== null) return cure(found, config);
  }
  return step === 'call'
    ? 'it works as far as it is asked nothing; what it answered says what it lacks'
    : `${tryByHand(config)}, and see: mcp-aql-gateway logs ${nameOf(config)}`;
}

function tryByHand({ endpoint }: UpstreamConfig): string {
  return endpoint.type === 'stdio' ? 'run its command by hand' : 'ask it with curl';
}

function nameOf({ name }: UpstreamConfig): string {
  return `'${name}'`;
}

function packageOf({ endpoint }: UpstreamConfig): string {
  const args = endpoint.type === 'stdio' ? endpoint.args : [];
  return args.find((arg) => !arg.startsWith('-')) ?? 'PACKAGE';
}
