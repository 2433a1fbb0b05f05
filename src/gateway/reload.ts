import type { Observer } from '../base/observe/observation.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import { describeChanges, isEmptyPlan, planReload, type ReloadPlan } from './reload-plan.js';

/** How the configuration was read anew the last time. */
export interface ReloadState {
  /** ISO 8601. */
  readonly at: string;
  readonly outcome: 'applied' | 'unchanged' | 'refused';
  /** What was changed, in words; absent where nothing was. */
  readonly changes?: string;
  /** Why it was refused; the configuration of before stays in force. */
  readonly problem?: string;
  /** Settings that differ from those in force, and are taken at the next start. */
  readonly needs_restart?: readonly string[];
}

interface ReloaderOptions {
  /** Reads and validates; rejects with a readable message. Absent where there is nothing to read. */
  readonly load: (() => Promise<GatewayConfig>) | undefined;
  readonly current: () => GatewayConfig;
  /** Resolves when the change is in force. */
  readonly apply: (plan: ReloadPlan) => Promise<void>;
  readonly observe: Observer;
  readonly audit: Pick<AuditTrail, 'record'>;
}

/**
 * Takes a changed configuration into a gateway that runs: read and validated as a whole first, then compared with what is in
 * force, so that only what differs is touched. One reload at a time; one that is asked for meanwhile reads the files again.
 */
export class Reloader {
  readonly #options: ReloaderOptions;
  #running: Promise<ReloadState> | undefined;
  #next: Promise<ReloadState> | undefined;
  #state: ReloadState | undefined;

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  state(): ReloadState | undefined {
    return this.#state;
  }

  /** @param by who or what asks, for the log and the journal */
  reload(by: string): Promise<ReloadState> {
    if (this.#running === undefined) return this.#begin(by);
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#begin(by);
    });
    return this.#next;
  }

  #begin(by: string): Promise<ReloadState> {
    this.#running = this.#run(by).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(by: string): Promise<ReloadState> {
    const outcome = await this.#tryReload(by).catch((cause: unknown) => this.#refuse(by, cause));
    this.#state = { at: new Date().toISOString(), ...outcome };
    return this.#state;
  }

  async #tryReload(by: string): Promise<Omit<ReloadState, 'at'>> {
    const { load, current, apply, observe, audit } = this.#options;
    if (load === undefined) throw new Error('this gateway was started without files to read anew');
    const next = await load();
    refuseNewFaults(current(), next);
    const plan = planReload(current(), next);
    const restart = plan.needsRestart.length === 0 ? {} : { needs_restart: plan.needsRestart };
    const later = plan.needsRestart.length === 0 ? '' : `; restart to apply: ${plan.needsRestart.join(', ')}`;
    if (isEmptyPlan(plan)) {
      observe({ kind: 'notice', level: 'info', message: `Read the configuration (${by}): nothing to change${later}.` });
      return { outcome: 'unchanged', ...restart };
    }
    await apply(plan);
    const changes = describeChanges(plan);
    audit.record({ type: 'admin', action: 'configuration_reloaded', details: { by, changes }, actor: {} });
    observe({ kind: 'notice', level: 'info', message: `Reloaded the configuration (${by}): ${changes}${later}.` });
    return { outcome: 'applied', changes, ...restart };
  }

  #refuse(by: string, cause: unknown): Omit<ReloadState, 'at'> {
    const problem = cause instanceof Error ? cause.message : String(cause);
    const message = `The configuration was not reloaded (${by}), and the one of before stays in force: ${problem}`;
    this.#options.observe({ kind: 'notice', level: 'error', message });
    return { outcome: 'refused', problem };
  }
}

/** A server that was misconfigured at the start may stay so; a change that makes one so is a mistake. */
function refuseNewFaults(current: GatewayConfig, { upstreams }: GatewayConfig): void {
  const known = new Set(current.upstreams.flatMap(({ slug, problem }) => (problem === undefined ? [] : [slug])));
  const faults = upstreams.flatMap(({ name, slug, problem }) =>
    problem === undefined || known.has(slug) ? [] : [`the server '${name}' is misconfigured: ${problem}`],
  );
  if (faults.length > 0) throw new Error(faults.join('; '));
}
