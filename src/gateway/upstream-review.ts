import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { Observation } from '../observe/observation.js';
import { Cancellation } from '../protocol/cancellation.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { RawTool } from '../protocol/tools.js';
import { type Connection, openConnection } from '../upstream/connection.js';
import { findFault } from '../upstream/fault.js';
import { OwnCredentials } from '../upstream/own-credentials.js';
import { describeConnectFailure } from '../upstream/translate-failure.js';
import { childEnvironment, listBinDirectories, resolveCommand } from '../upstream/transport/resolve-command.js';
import { EXAMINED_STEPS, type ExaminedStep, findCure } from './find-cure.js';

/** How one step of an examination ended. */
export interface StepResult {
  readonly step: ExaminedStep;
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly message: string;
  /** What to do; of a step that failed. */
  readonly cure?: string;
}

/** What examining one server found. */
export interface UpstreamReview {
  readonly name: string;
  readonly state: 'ok' | 'failed' | 'disabled';
  readonly steps: readonly StepResult[];
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
    try {
      const connection = await openConnection({
        config: this.#config,
        around: { clientInfo, binDirectories, observe: (observation) => this.#note(observation) },
        memory: {},
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
      this.#ok('handshake', `protocol ${protocolVersion ?? 'unknown'}${who}`);
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
