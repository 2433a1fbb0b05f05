import { digest } from '../../base/json/canonical-json.js';
import { type ChangeOptions, type ServerChange, ServerChangeFault } from '../../config/edit/change-servers.js';
import { type EditableConfig, openEditableConfig } from '../../config/edit/edit-config.js';
import { ConfigError } from '../../config/load/diagnostics.js';
import { isPackagedConfig } from '../../config/load/load-config.js';
import { JsoncSyntaxError } from '../../config/load/parse-jsonc.js';
import type { Gateway, ReloadState } from '../../gateway/gateway.js';
import { type ApprovalsProblem, badRequest } from './problems.js';

export type Change = (config: EditableConfig, options: ChangeOptions) => Promise<ServerChange>;

/** How a change of the configuration ended. */
type Changed =
  | { readonly kind: 'done'; readonly upstream: string; readonly reload: ReloadState }
  | { readonly kind: 'refused'; readonly problem: ApprovalsProblem };

/** Changes the file, records who did, and resolves when the gateway has taken the change. */
export async function changeConfiguration(
  gateway: Gateway,
  operator: string,
  action: string,
  make: Change,
): Promise<Changed> {
  const { file, directory, sections } = gateway.config;
  if (file === null || isPackagedConfig(file)) return { kind: 'refused', problem: NO_FILE };
  const options = { file, env: process.env, cwd: directory, sections };
  try {
    const done = await make(await openEditableConfig(options), options);
    gateway.recordAdmin(action, { upstream: done.name }, operator, 'http');
    return { kind: 'done', upstream: done.name, reload: await gateway.reload(`operator '${operator}'`) };
  } catch (error) {
    const problem = describeChangeFault(error);
    if (problem === undefined) throw error;
    return { kind: 'refused', problem };
  }
}

export const NO_FILE: ApprovalsProblem = {
  status: 409,
  code: 'NO_CONFIGURATION_FILE',
  message: 'This gateway has no configuration file of its own to change. Start it with --config.',
};

/** A change that was looked at, and not made. */
export interface PreviewedChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** A file that would be set out of use, where it would then be. */
  readonly moved: string | undefined;
  /** Names the change: what is written is what was read. */
  readonly digest: string;
}

/** What a change would make of the main file. @returns in words why it is not possible */
export async function previewChange(gateway: Gateway, make: Change): Promise<PreviewedChange | string> {
  const { file, directory, sections } = gateway.config;
  if (file === null || isPackagedConfig(file)) return NO_FILE.message;
  const options = { file, env: process.env, cwd: directory, sections, isDryRun: true };
  try {
    const config = await openEditableConfig(options);
    const { text: after, moved } = await make(config, options);
    return {
      file: config.file,
      before: config.text,
      after,
      moved,
      digest: digest([config.text, after, moved ?? null]),
    };
  } catch (error) {
    const problem = describeChangeFault(error);
    if (problem === undefined) throw error;
    return problem.message;
  }
}

/** The change, where it is still the one that was read; else it throws, and writes nothing. @param expected digest of the preview */
export function asPreviewed(make: Change, expected: string): Change {
  return async (config, options) => {
    const { text, moved } = await make(config, { ...options, isDryRun: true });
    if (digest([config.text, text, moved ?? null]) !== expected)
      throw new ServerChangeFault(
        'outdated',
        'Nothing was written: the file has changed since. Look at the change again',
      );
    return make(config, options);
  };
}

const STATUS_OF: Readonly<Record<ServerChangeFault['kind'], number>> = {
  unknown: 404,
  exists: 409,
  elsewhere: 409,
  outdated: 409,
};

/** Why a file could not be changed as it was asked for; undefined for any other fault. */
export function describeChangeFault(error: unknown): ApprovalsProblem | undefined {
  if (error instanceof ServerChangeFault) {
    return {
      status: STATUS_OF[error.kind],
      code: `UPSTREAM_${error.kind.toUpperCase()}`,
      message: `${error.message}.`,
    };
  }
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return { status: 422, code: 'INVALID_CONFIGURATION', message: `Not written: ${problems}` };
  }
  if (error instanceof JsoncSyntaxError) return badRequest(`The configuration file cannot be read: ${error.message}.`);
  return undefined;
}
