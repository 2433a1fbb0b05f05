import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Observation } from '../../base/observe/observation.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import type { GatewayConfig, UpstreamConfig } from '../../config/gateway-config.js';
import type { Connection, EraMemory } from '../../upstream/connection.js';
import { openConnection } from '../../upstream/open-connection.js';
import { describeConnectFailure } from '../../upstream/translate-failure.js';
import { findFault } from '../../upstream/transport/fault.js';
import { OwnCredentials } from '../../upstream/transport/own-credentials.js';
import { childEnvironment, listBinDirectories, resolveCommand } from '../../upstream/transport/resolve-command.js';

/** What examining one server found. */
export interface UpstreamReview {
  readonly name: string;
  readonly state: 'ok' | 'failed' | 'disabled';
  readonly steps: readonly StepResult[];
}

/** How one step of an examination ended. */
interface StepResult {
  readonly step: ExaminedStep;
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly message: string;
  /** What to do; of a step that failed. */
  readonly cure?: string;
}

interface ReviewDeps {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly packageDirectory: string;
}

/** The longest time of one harmless call. */
const CALL_MS = 15_000;

/** Probing time for a child process. */
const PROBE_MS = 3_000;

/** Lines that are kept of what a server prints. */
const MOST_LINES = 200;

/**
 * Examines one server step by step: finds its command, starts it, shakes hands, lists its tools and calls one that only reads
 * and needs nothing. Never rejects; nothing of it is left running.
 */
export async function reviewUpstream(
  upstream: UpstreamConfig,
  { directory }: Pick<GatewayConfig, 'directory'>,
  deps: ReviewDeps,
): Promise<UpstreamReview> {
  const { name, problem } = upstream;
  if (problem === undefined && upstream.disabled) return { name, state: 'disabled', steps: [] };
  const review = new Review(upstream, {
    ...deps,
    binDirectories: listBinDirectories([directory, deps.packageDirectory]),
  });
  const steps = await review.run();
  return { name, state: steps.some(({ state }) => state === 'failed') ? 'failed' : 'ok', steps };
}

class Review {
  readonly #config: UpstreamConfig;
  readonly #deps: ReviewDeps & { readonly binDirectories: readonly string[] };
  readonly #steps: StepResult[] = [];
  readonly #stderr: string[] = [];
  readonly #noise: string[] = [];
  readonly #credentials: OwnCredentials;
  #hasShakenHands = false;
  #tools: readonly RawTool[] | undefined;

  constructor(config: UpstreamConfig, deps: ReviewDeps & { readonly binDirectories: readonly string[] }) {
    this.#config = config;
    this.#deps = deps;
    this.#credentials = new OwnCredentials(config.endpoint);
  }

  async run(): Promise<readonly StepResult[]> {
    const { problem } = this.#config;
    if (problem !== undefined) {
      this.#steps.push({ step: 'configuration', state: 'failed', message: problem, cure: cureOfProblem(problem) });
      return this.#finish();
    }
    this.#ok('configuration', 'its definition is valid');
    if (!(await this.#resolve())) return this.#finish();
    const connection = await this.#connect();
    if (connection === undefined) return this.#finish();
    try {
      await this.#callHarmless(connection);
    } finally {
      await connection.close();
    }
    return this.#finish();
  }

  async #resolve(): Promise<boolean> {
    const { endpoint } = this.#config;
    if (endpoint.type !== 'stdio') return true;
    try {
      const env = childEnvironment(endpoint.env);
      const { file } = await resolveCommand(endpoint, { binDirectories: this.#deps.binDirectories, env });
      this.#ok('resolve', `'${endpoint.command}' is ${file}`);
      return true;
    } catch (error) {
      this.#fail('resolve', describeConnectFailure(error));
      return false;
    }
  }

  async #connect(): Promise<Connection | undefined> {
    const { clientInfo, binDirectories } = this.#deps;
    const memory: EraMemory = {};
    try {
      const connection = await openConnection({
        config: this.#config,
        around: { clientInfo, binDirectories, observe: (observation) => this.#note(observation) },
        memory,
        tools: new Map(),
        probeTimeoutMs: PROBE_MS,
        signal: new AbortController().signal,
        onTools: (tools) => {
          this.#tools = tools;
        },
        onCapabilities: () => {
          this.#hasShakenHands = true;
        },
        news: { onListChanged: () => undefined, onResourceUpdated: () => undefined },
        onDiagnostic: () => undefined,
      });
      const { server, protocolVersion } = connection;
      this.#ok('start', this.#config.endpoint.type === 'stdio' ? 'it runs' : 'it can be reached');
      const who = server === undefined ? '' : ` with ${server.name} ${server.version}`;
      const choice = memory.choice === undefined ? '' : `: ${memory.choice}`;
      this.#ok('handshake', `protocol ${protocolVersion ?? 'unknown'}${who}${choice}`);
      this.#ok('list', `${this.#tools?.length ?? 0} tools`);
      return connection;
    } catch (error) {
      this.#fail(this.#failedStep(error), describeConnectFailure(error));
      return undefined;
    }
  }

  /** The steps of connecting have ended as far as the server has answered. */
  #failedStep(error: unknown): ExaminedStep {
    if (this.#hasShakenHands) {
      this.#ok('start', 'it runs');
      this.#ok('handshake', 'it has answered');
      return 'list';
    }
    const kind = findFault(error)?.kind;
    if (kind === 'command' || kind === 'exited' || kind === 'lost') return 'start';
    this.#ok('start', this.#config.endpoint.type === 'stdio' ? 'it runs' : 'it can be reached');
    return 'handshake';
  }

  async #callHarmless(connection: Connection): Promise<void> {
    const tool = this.#tools?.find(isHarmless)?.['name'];
    if (typeof tool !== 'string') {
      const message = 'it has no tool that says that it only reads and needs no parameter';
      this.#steps.push({ step: 'call', state: 'skipped', message });
      return;
    }
    const params = { name: tool, arguments: {} };
    try {
      const request = { method: 'tools/call', params, cancellation: new Cancellation() };
      const result = await connection.request(request, CALL_MS);
      if (result['isError'] === true) this.#fail('call', `'${tool}' failed: ${wordsOf(result)}`);
      else this.#ok('call', `'${tool}' answered`);
    } catch (error) {
      this.#fail('call', `'${tool}': ${describeConnectFailure(error)}`);
    }
  }

  #note(observation: Observation): void {
    const lines =
      observation.kind === 'upstream-stderr'
        ? this.#stderr
        : observation.kind === 'upstream-noise'
          ? this.#noise
          : undefined;
    if (lines === undefined || !('line' in observation)) return;
    lines.push(String(observation.line));
    if (lines.length > MOST_LINES) lines.shift();
  }

  #ok(step: ExaminedStep, message: string): void {
    this.#steps.push({ step, state: 'ok', message });
  }

  #fail(step: ExaminedStep, words: string): void {
    const message = this.#credentials.mask(words);
    const symptom = { step, message, stderr: this.#stderr, noise: this.#noise };
    this.#steps.push({ step, state: 'failed', message, cure: findCure(this.#config, symptom) });
  }

  /** Steps that could not be tried. */
  #finish(): readonly StepResult[] {
    const isStdio = this.#config.endpoint.type === 'stdio';
    const tried = new Set(this.#steps.map(({ step }) => step));
    const rest = EXAMINED_STEPS.filter((step) => !tried.has(step) && (step !== 'resolve' || isStdio));
    return [...this.#steps, ...rest.map((step) => ({ step, state: 'skipped' as const, message: 'not tried' }))];
  }
}

/** Reads by its own word, and needs nothing: the operator runs this on purpose, against servers of their own. */
function isHarmless(tool: RawTool): boolean {
  if (!isJsonObject(tool)) return false;
  const { annotations, inputSchema } = tool;
  if (!isJsonObject(annotations) || annotations['readOnlyHint'] !== true) return false;
  const required = isJsonObject(inputSchema) ? inputSchema['required'] : undefined;
  return required === undefined || (Array.isArray(required) && required.length === 0);
}

function wordsOf({ content }: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.filter(isJsonObject).map(({ text }) => (typeof text === 'string' ? text : ''));
  return texts.join(' ').slice(0, 300);
}

/** The configuration's own messages end with what to do. */
function cureOfProblem(problem: string): string {
  return /\(([^()]+(?:\([^()]*\)[^()]*)*)\)$/.exec(problem)?.[1] ?? 'correct it in the file that is named';
}

/** What is known of a server that does not work. */
interface Symptom {
  readonly step: ExaminedStep;
  /** What went wrong, in words. */
  readonly message: string;
  /** What the server wrote to standard error, newest last. */
  readonly stderr: readonly string[];
  /** What a program wrote to standard output that is no MCP. */
  readonly noise: readonly string[];
}

/** The steps of an examination, in their order. */
const EXAMINED_STEPS = ['configuration', 'resolve', 'start', 'handshake', 'list', 'call'] as const;

type ExaminedStep = (typeof EXAMINED_STEPS)[number];

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
    sign: /exited|ended/,
    cure: (_found, config) =>
      `it ends by itself: ${tryByHand(config)}, and see: mcp-aql-gateway logs ${nameOf(config)}`,
  },
];

/** The next thing that an operator should do. */
function findCure(config: UpstreamConfig, { step, message, stderr, noise }: Symptom): string {
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
