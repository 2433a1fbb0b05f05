import { formatPath, type JsonPath } from '../../base/json/json-path.js';
import type { UpstreamConfig } from '../gateway-config.js';
import { PLAIN_SECTIONS } from '../schema/serving-schema.js';
import { normalise } from '../schema/setting.js';
import { buildDefaults } from './build-upstreams.js';
import type { ConfigProblem } from './diagnostics.js';

/** Where a server is defined, whether or not its definition is valid. */
export interface DefinitionPlace {
  readonly name: string;
  readonly slug: string;
  /** The document, as diagnostics name it. */
  readonly source: string;
  /** Empty where the whole document is the definition. */
  readonly path: JsonPath;
}

/** The problems of a configuration, by what they keep from starting. */
interface DividedProblems {
  /** They concern the gateway itself. */
  readonly fatal: readonly ConfigProblem[];
  /** They concern one server each, by slug. */
  readonly ofServers: ReadonlyMap<string, { readonly name: string; readonly problems: readonly ConfigProblem[] }>;
}

/** Assigns each problem to the server in whose definition it is. */
export function divideProblems(
  problems: readonly ConfigProblem[],
  places: readonly DefinitionPlace[],
): DividedProblems {
  const fatal: ConfigProblem[] = [];
  const ofServers = new Map<string, { readonly name: string; readonly problems: ConfigProblem[] }>();
  for (const problem of problems) {
    const place = places.find((each) => isWithin(problem, each));
    if (place === undefined) {
      fatal.push(problem);
      continue;
    }
    const entry = ofServers.get(place.slug) ?? { name: place.name, problems: [] };
    entry.problems.push(problem);
    ofServers.set(place.slug, entry);
  }
  return { fatal, ofServers };
}

function isWithin({ file, path }: ConfigProblem, place: DefinitionPlace): boolean {
  if (file !== place.source) return false;
  if (place.path.length === 0) return true;
  const start = formatPath(place.path);
  return path === start || path.startsWith(`${start}.`) || path.startsWith(`${start}[`);
}

/** The upstreams, of which those with problems are kept from starting. */
export function markMisconfigured(
  upstreams: readonly UpstreamConfig[],
  ofServers: DividedProblems['ofServers'],
): readonly UpstreamConfig[] {
  const missing = [...ofServers].filter(([slug]) => !upstreams.some((upstream) => upstream.slug === slug));
  return [
    ...upstreams.map((upstream) => {
      const found = ofServers.get(upstream.slug);
      return found === undefined ? upstream : { ...upstream, disabled: true, problem: describe(found.problems) };
    }),
    ...missing.map(([slug, { name, problems }]) => ({ ...UNUSABLE, name, slug, problem: describe(problems) })),
  ];
}

/** A server of which nothing is known but its name: it is never reached, and has the settings of every server. */
export const UNUSABLE = {
  ...buildDefaults(undefined, normalise(PLAIN_SECTIONS.limits, undefined)),
  endpoint: { type: 'http', url: '', headers: {} },
  disabled: true,
  integrity: 'off',
  curation: [],
  relations: [],
  apiLimits: [],
} as const;

function describe(problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ file, path, message, suggestion }) => {
      const next = suggestion === undefined ? '' : ` (${suggestion})`;
      return `${file}: ${path}: ${message}${next}`;
    })
    .join('; ');
}
