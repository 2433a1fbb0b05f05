import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Observation } from '../../base/observe/observation.js';
import { describeFact } from '../../base/protocol/account-fact.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { questionsFor } from '../../catalog/account/probes.js';
import { buildCatalog } from '../../catalog/build-catalog.js';
import type { Catalog } from '../../catalog/catalog.js';
import type { GatewayConfig, UpstreamConfig } from '../../config/gateway-config.js';
import type { Connection, EraMemory } from '../../upstream/connection.js';
import { openConnection } from '../../upstream/open-connection.js';
import { describeConnectFailure, isAnswer } from '../../upstream/translate-failure.js';
import { findFault } from '../../upstream/transport/fault.js';
import { OwnCredentials } from '../../upstream/transport/own-credentials.js';
import { childEnvironment, listBinDirectories, resolveCommand } from '../../upstream/transport/resolve-command.js';
import { askAccount, isAsked } from '../read-only-accounts.js';
import { cureOfProblem, EXAMINED_STEPS, type ExaminedStep, findCure } from './find-cure.js';

/** What examining one server found. */
export interface UpstreamReview {
  readonly name: string;
  /** `refused`: it is well, and answered a call with an error, as where its key is none. */
  readonly state: 'ok' | 'refused' | 'failed' | 'disabled';
  readonly steps: readonly StepResult[];
}

/** How one step of an examination ended. */
interface StepResult {
  readonly step: ExaminedStep | 'account';
  readonly state: 'ok' | 'refused' | 'failed' | 'skipped';
  readonly message: string;
  /** What to do; of a step that failed or was refused. */
  readonly cure?: string;
  /** What the server printed last; of a step that failed or was refused. */
  readonly printed?: readonly string[];
}

interface ReviewDeps {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly packageDirectory: string;
}

/** The longest time of one harmless call. */
const CALL_MS = 15_000;

/** Probing time for a child process. */
const PROBE_MS = 3_000;

/** Lines that are kept of what a server prints, and those that are shown. */
const MOST_LINES = 200;
const SHOWN_LINES = 10;

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
  const worst = (['failed', 'refused'] as const).find((bad) => steps.some(({ state }) => state === bad));
  return { name, state: worst ?? 'ok', steps };
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
      await this.#askAccount(connection);
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
        // As for a client of the gateway that can be asked nothing: most can not.
        around: { clientInfo, binDirectories, servesClients: true, observe: (observation) => this.#note(observation) },
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
    const tool = findHarmless(this.#config, this.#tools ?? []);
    if (tool === undefined) {
      const message = 'it has no tool that is known to only read, shows no secrets and needs no parameter';
      this.#steps.push({ step: 'call', state: 'skipped', message });
      return;
    }
    const params = { name: tool, arguments: {} };
    try {
      const request = { method: 'tools/call', params, cancellation: new Cancellation() };
      const result = await connection.request(request, CALL_MS);
      if (result['isError'] === true) this.#end('call', 'refused', `'${tool}' was refused: ${wordsOf(result)}`);
      else this.#ok('call', `'${tool}' answered`);
    } catch (error) {
      // Without a fault of the connection it is the server that has answered so.
      this.#end('call', isAnswer(error) ? 'refused' : 'failed', `'${tool}': ${describeConnectFailure(error)}`);
    }
  }

  /** What a running gateway would ask of the account behind the connection. */
  async #askAccount(connection: Connection): Promise<void> {
    const tools = this.#tools ?? [];
    const { operations } = catalogOf(this.#config, tools);
    const questions = isAsked(this.#config) ? questionsFor(this.#config, tools, connection.server?.name ?? '') : [];
    for (const question of questions) {
      const { by } = question;
      if ('tool' in by && !operations.some(({ tool }) => tool === by.tool)) continue;
      const fact = await askAccount(question, (request) => connection.request(request, CALL_MS));
      this.#steps.push({ step: 'account', state: 'ok', message: describeFact(fact) });
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
    this.#end(step, 'failed', words);
  }

  #end(step: ExaminedStep, state: 'refused' | 'failed', words: string): void {
    const message = this.#credentials.mask(words);
    const symptom = { step, message, stderr: this.#stderr, noise: this.#noise };
    const printed = this.#stderr.slice(-SHOWN_LINES).map((line) => this.#credentials.mask(line));
    const cure = findCure(this.#config, symptom);
    this.#steps.push({ step, state, message, cure, ...(printed.length === 0 ? {} : { printed }) });
  }

  /** Steps that could not be tried. */
  #finish(): readonly StepResult[] {
    const isStdio = this.#config.endpoint.type === 'stdio';
    const tried = new Set(this.#steps.map(({ step }) => step));
    const rest = EXAMINED_STEPS.filter((step) => !tried.has(step) && (step !== 'resolve' || isStdio));
    return [...this.#steps, ...rest.map((step) => ({ step, state: 'skipped' as const, message: 'not tried' }))];
  }
}

/** A tool that reads by its own word and by that of classification, and needs nothing: `get_env` reads, and shows secrets. */
function findHarmless(upstream: UpstreamConfig, tools: readonly RawTool[]): string | undefined {
  const saying = tools.filter(
    (tool) => isJsonObject(tool?.['annotations']) && tool['annotations']['readOnlyHint'] === true,
  );
  const { operations } = catalogOf(upstream, saying);
  const harmless = operations.find(
    ({ classification: { category, danger }, scope, fixedArguments }) =>
      category === 'READ' && danger.level === 'safe' && scope.required.length === 0 && fixedArguments === undefined,
  );
  return harmless?.tool;
}

function catalogOf(upstream: UpstreamConfig, tools: readonly RawTool[]): Catalog {
  const toolSets = [{ upstream: upstream.slug, tools }];
  return buildCatalog({ toolSets, upstreams: [upstream], builtins: [], pins: {} });
}

function wordsOf({ content }: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.filter(isJsonObject).map(({ text }) => (typeof text === 'string' ? text : ''));
  return texts.join(' ').slice(0, 300);
}
