import type { GatewayConfig } from '../config/gateway-config.js';
import type { Gateway } from '../gateway.js';
import { openCaptured } from './captured.js';
import { type CommonFlags, loadCliConfig, withGateway } from './context.js';
import type { Terminal } from './terminal.js';

/** Flags of the commands that look at tools, live or captured. */
export interface SourceFlags extends CommonFlags {
  readonly from?: string;
  readonly ignoreAnnotations?: boolean;
}

export const FROM_OPTION = [
  '--from <file-or-folder>',
  'captured tools/list answers (JSON) instead of live upstreams',
] as const;

/** What a command wants to see beyond what a client would. */
export interface SourceOptions {
  /** Also what quarantine withholds: it is to be reviewed. */
  readonly withheldToo?: boolean;
}

/** Runs a task over captured lists where `--from` is given, else over the configured upstreams. */
export async function withSource<T>(
  flags: SourceFlags,
  terminal: Terminal,
  task: (gateway: Gateway) => Promise<T>,
  options: SourceOptions = {},
): Promise<T> {
  const loaded = await loadCliConfig(flags, terminal);
  const config = options.withheldToo === true ? withoutGuard(loaded) : loaded;
  const ignoreAnnotations = flags.ignoreAnnotations === true;
  if (flags.from !== undefined) return task(await openCaptured(flags.from, config, { ignoreAnnotations }));
  return withGateway(config, async (gateway) => {
    if (!ignoreAnnotations) return task(gateway);
    // The live catalog weighs annotations; leaving them out means reading the same lists once more.
    const { openCapturedGateway } = await import('../captured-gateway.js');
    return task(openCapturedGateway(config, gateway.toolSets(), { ignoreAnnotations }));
  });
}

function withoutGuard(config: GatewayConfig): GatewayConfig {
  return { ...config, upstreams: config.upstreams.map((upstream) => ({ ...upstream, integrity: 'off' })) };
}
