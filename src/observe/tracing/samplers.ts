import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

/** What decides which calls are traced. */
export interface SamplerSettings {
  /** `parent` asks the client first, and `ratio` nobody. */
  readonly sampler?: 'parent' | 'ratio';
  /** The share of the calls that nobody else decides about, from 0 to 1. */
  readonly ratio?: number;
}

const SAMPLERS: Readonly<Record<NonNullable<SamplerSettings['sampler']>, (ratio: number) => Sampler>> = {
  parent: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
  ratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
};

/** What counts where nothing else is said. */
const followParent = (): Sampler => new ParentBasedSampler({ root: new AlwaysOnSampler() });

const OF_ENVIRONMENT: ReadonlyMap<string, (ratio: number) => Sampler> = new Map([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', SAMPLERS.ratio],
  ['parentbased_always_on', followParent],
  ['parentbased_always_off', () => new ParentBasedSampler({ root: new AlwaysOffSampler() })],
  ['parentbased_traceidratio', SAMPLERS.parent],
]);

/**
 * The sampler of the settings, else that of OpenTelemetry's variables, which the SDK reads for itself alone: here a call is decided about
 * before it has a span. https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export function chooseSampler({ sampler, ratio }: SamplerSettings, env: NodeJS.ProcessEnv): Sampler {
  if (sampler !== undefined || ratio !== undefined) return SAMPLERS[sampler ?? 'parent'](ratio ?? 1);
  const choose = OF_ENVIRONMENT.get(env['OTEL_TRACES_SAMPLER'] ?? '') ?? followParent;
  return choose(readRatio(env['OTEL_TRACES_SAMPLER_ARG']));
}

/** 1 unless it is a number from 0 to 1. */
function readRatio(text = ''): number {
  const ratio = text.trim() === '' ? 1 : Number(text);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
