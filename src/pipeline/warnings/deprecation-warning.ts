import type { Operation } from '../../protocol/operation.js';
import type { Warning } from '../../protocol/result.js';

/** The warning that curation gives an operation on its way out; undefined where it gives none. */
export function deprecationWarning({ name, deprecated }: Operation): Warning | undefined {
  if (deprecated === undefined) return undefined;
  const { replacement, removalDate, note } = deprecated;
  const sentences = [
    `Operation '${name}' is deprecated${removalDate === undefined ? '' : ` and goes on '${removalDate}'`}`,
    ...(replacement === undefined ? [] : [`Use '${replacement}' instead`]),
    ...(note === undefined ? [] : [note]),
  ];
  return {
    code: 'DEPRECATION_WARNING',
    message: sentences.join('. '),
    details: {
      type: 'operation',
      deprecated_item: name,
      ...(replacement === undefined ? {} : { replacement }),
      ...(removalDate === undefined ? {} : { removal_date: removalDate }),
    },
    severity: 'medium',
  };
}
