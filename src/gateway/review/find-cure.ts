import { isAbsolute, resolve } from 'node:path';
import type { UpstreamConfig } from '../../config/gateway-config.js';

/** The configuration's own messages end with what to do. */
export function cureOfProblem(problem: string): string {
  return /\(([^()]+(?:\([^()]*\)[^()]*)*)\)$/.exec(problem)?.[1] ?? 'correct it in the file that is named';
}

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
  /** Which servers it is for: those that run here, or those at a URL. All of them where absent. */
  readonly of?: 'stdio' | 'remote';
  /** Matched against the message, the last lines of standard error and what is no MCP on standard output. */
  readonly sign: RegExp;
  /** The sign is the gateway's own words, which a server that says the same means differently. */
  readonly own?: true;
  readonly cure: (found: RegExpExecArray, config: UpstreamConfig) => string;
}

const setVariable = ([, name]: RegExpExecArray): string =>
  `set ${name} in its 'env': a child gets no other variables of the gateway than a few`;

const reachHost = (found: RegExpExecArray): string => {
  const host = found.slice(1).find((group) => group !== undefined);
  return `the server cannot reach ${host ?? 'what it needs'}: correct the address in its 'env' or 'args', or let this machine reach it (a proxy is HTTPS_PROXY in its 'env')`;
};

const GIVE_TOKEN = `give it a valid token: 'headers': {"Authorization": "Bearer \${TOKEN}"}`;

/** The first that fits counts, so that what is particular stands before what is general. */
const CURES: readonly Cure[] = [
  { own: true, sign: /holds arguments: (.*)/s, cure: ([, line = '']) => line },
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
    of: 'stdio',
    sign: /npm (?:error|ERR!).*(?:404|E404|ETARGET)|No matching version found/i,
    cure: (_found, config) =>
      `there is no such package or version: correct its name in 'args' (npm view ${packageOf(config)})`,
  },
  {
    of: 'stdio',
    sign: /EADDRINUSE|address already in use/i,
    cure: (_found, config) =>
      `it wants a port that another program has: end that one, or give it another port in its 'args' or 'env' (${nameOf(config)})`,
  },
  {
    of: 'stdio',
    sign: /(?:Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ModuleNotFoundError|No module named) ?'?([^'\s]*)/,
    cure: ([, module = ''], { endpoint }) =>
      endpoint.type === 'stdio' &&
      endpoint.args.some((arg) => isAbsolute(module) && resolve(endpoint.cwd, arg) === module)
        ? `'${module}' does not exist: correct 'args', or build it`
        : `it is not completely installed: install '${module}' where it runs, or build it`,
  },
  {
    of: 'stdio',
    sign: /daemon running|docker daemon|\/docker\.sock/i,
    cure: () => "start Docker, or let the gateway's user reach its socket",
  },
  {
    of: 'stdio',
    sign: /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?=[^\n]*(?:required|missing|not set|not defined|must be set|undefined|provide))/,
    cure: setVariable,
  },
  {
    of: 'stdio',
    sign: /(?:required|missing|not set|must set|provide|set)[^\n]*\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/i,
    cure: setVariable,
  },
  {
    of: 'stdio',
    sign: /(?:ENOTFOUND|EAI_AGAIN|getaddrinfo(?: \w+)?|could not resolve host:?|name or service not known:?) ?([\w.-]+\.[\w.-]+|localhost)?/i,
    cure: reachHost,
  },
  {
    of: 'stdio',
    sign: /(?:ECONNREFUSED|connection refused)[: ]*([\w.[\]-]*[\w\]]:\d+)?|([\w.-]+:\d+)[^\n]*connection refused|E(?:TIMEDOUT|HOSTUNREACH|NETUNREACH|CONNRESET)\b ?([\w.[\]-]*[\w\]]:\d+)?|fetch failed|connect timeout/i,
    cure: reachHost,
  },
  {
    of: 'stdio',
    sign: /\b(?:HTTP|status(?: code)?)\W{0,3}40[13]\b|\b401 Unauthorized|\b403 Forbidden|(?:invalid|bad|expired|wrong) (?:api[ _-]?key|token|credentials?)/i,
    cure: () => "what it calls refuses its credentials: correct them in its 'env' or 'args'",
  },
  {
    of: 'remote',
    sign: /HTTP 401/,
    cure: () => GIVE_TOKEN,
  },
  {
    of: 'remote',
    sign: /HTTP 403/,
    cure: () => 'the token lacks rights, or the server does not accept this address: ask who runs it',
  },
  {
    of: 'remote',
    sign: /self-signed|cannot be verified|issuer certificate/,
    cure: () => 'trust its authority: "tls": {"ca": "/path/of/authority.pem"}',
  },
  {
    of: 'remote',
    sign: /ask(?:s)? for a certificate|certificate required|certificate 'tls\.cert'/i,
    cure: () =>
      'show it a certificate that it accepts: "tls": {"cert": "/path/of/cert.pem", "key": "/path/of/key.pem"}',
  },
  {
    of: 'remote',
    sign: /the proxy \S+/,
    cure: () => "correct 'proxy', the rights of its user, or what it lets through: it was the proxy that refused",
  },
  { sign: /'tls\.\w+' '([^']+)' cannot be read/, cure: ([, file]) => `let the gateway's user read '${file}'` },
  { of: 'remote', sign: /certificate has expired/, cure: () => 'its operator has to renew the certificate' },
  {
    of: 'remote',
    sign: /certificate is for another host/,
    cure: () => `use a host name that it is for in 'url', or "tls": {"serverName": "NAME"}`,
  },
  {
    of: 'remote',
    sign: /does not speak TLS/,
    cure: () => "write http:// instead of https:// in 'url', or another port",
  },
  {
    of: 'remote',
    sign: /connection (?:closed|reset) at https:/,
    cure: () =>
      "ask it with curl; a server that asks for its clients' certificates ends so where 'tls.cert' is missing or not accepted",
  },
  {
    of: 'remote',
    sign: /host name not found/,
    cure: () => "correct the host in 'url'; in a container, names of other machines may not be known",
  },
  {
    of: 'remote',
    sign: /connection refused/,
    cure: () => "start the server, or correct the port in 'url'",
  },
  {
    of: 'remote',
    sign: /it redirects to \S+/,
    cure: () => `write that address in 'url'; where people sign in there, ${GIVE_TOKEN}`,
  },
  {
    of: 'remote',
    sign: /no MCP endpoint|text\/html|content[ -]type|<!doctype|<html|HTTP 404|HTTP 405/i,
    cure: () => 'its URL is no MCP endpoint: correct \'url\', which often ends in /mcp, or in /sse with "type": "sse"',
  },
  {
    of: 'stdio',
    own: true,
    sign: /no answer|in time|did not answer|timed? ?out/i,
    cure: () =>
      "it started and is silent: does it need an argument such as 'stdio' or '--stdio'? A slow one needs a higher 'connectTimeoutMs'",
  },
  {
    of: 'remote',
    sign: /no answer|in time|did not answer|timed? ?out/i,
    cure: () => "it takes requests and does not answer: look at it, or raise 'connectTimeoutMs'",
  },
  {
    own: true,
    sign: /exited|ended/,
    cure: (_found, config) => `it ends by itself: ${tryByHand(config)}`,
  },
];

/** What follows these words in a message is the server's. */
const LAST_WORDS = /; (?:what it sent instead|its last words): .*/s;

/** The next thing that an operator should do. */
export function findCure(config: UpstreamConfig, { step, message, stderr, noise }: Symptom): string {
  const kind = config.endpoint.type === 'stdio' ? 'stdio' : 'remote';
  const texts = [message, ...stderr.slice(-40), ...noise.slice(-5)].join('\n');
  const words = message.replace(LAST_WORDS, '');
  for (const { of = kind, sign, own, cure } of CURES) {
    const found = of === kind ? sign.exec(own === true ? words : texts) : null;
    if (found !== null) return cure(found, config);
  }
  return step === 'call' ? 'what it answered says what it lacks: a valid key, or an option' : tryByHand(config);
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
