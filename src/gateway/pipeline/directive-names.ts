import { CONTROLS } from '../../results/query/result-types.js';

/** Metadata, which can never be an operation's own parameter (specification, section 4.6.1). */
export const CONFIRMATION = '_confirmation';
export const QUOTA_CONTINUE = '_quota_continue';
export const EXECUTION = '_execution';
export const DRY_RUN = '_dry_run';
/** Names of the specification that an operation may also use for a parameter; the parameter then takes precedence. */
export const PLAIN_CONFIRMATION = 'confirmation_token';
export const IF_MATCH = 'if_match';
export const PLAIN_DRY_RUN = 'dry_run';

/**
 * Names that look like metadata but are parameters that the gateway defines. A caller who writes parameters at the top level
 * writes these there too; ignoring them would silently drop a filter or a confirmation.
 */
export const OWN_NAMES: ReadonlySet<string> = new Set([
  CONFIRMATION,
  QUOTA_CONTINUE,
  EXECUTION,
  DRY_RUN,
  ...CONTROLS.map((control) => `_${control}`),
]);

/** Every name with which a caller says something of the call itself. */
export const CALL_NAMES: ReadonlySet<string> = new Set([
  ...OWN_NAMES,
  PLAIN_CONFIRMATION,
  IF_MATCH,
  PLAIN_DRY_RUN,
  ...CONTROLS,
]);
