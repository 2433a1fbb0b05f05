import type { ApiLimit } from '../../config/quota-config.js';
import { OperationError } from '../../protocol/operation-error.js';
import { compileOperation } from '../rules/compile-rules.js';
import { matchClauses } from '../rules/match-rule.js';
import type { ApiBudget } from './budget.js';
import { describeReset } from './describe-reset.js';

/** An upstream's own limit made ready. It is the upstream's with everybody, so all callers share it. */
export function createApiBudget(upstream: string, limit: ApiLimit): ApiBudget {
  const { scope, operation, category, window } = limit;
  const label = [upstream, scope, operation ?? category ?? [], window].flat().join(':');
  const ofOperation = compileOperation({
    ...(operation === undefined ? {} : { operation: [operation] }),
    ...(category === undefined ? {} : { category: [category] }),
  });
  return {
    kind: 'api',
    label,
    limit,
    key: `api/${label}`,
    per: 'all',
    window,
    thresholds: { hardStop: limit.limit },
    countsAnswers: false,
    stepsOf: (subject) =>
      subject.upstream === upstream && matchClauses(ofOperation, subject) !== 'no' ? 1 : undefined,
    isFor: () => true,
    refuse: ({ value, span }, now) => {
      const reset = describeReset(span.end, now);
      const what = scope === 'global' ? 'calls' : `calls of '${operation ?? category}'`;
      return new OperationError(
        'RATE_LIMIT_EXCEEDED',
        `API rate limit exceeded: upstream '${upstream}' takes ${limit.limit} ${what} per ${window}. Try again in ${reset.retry_after_seconds} seconds`,
        { upstream, limit: limit.limit, remaining: Math.max(0, limit.limit - value), window, ...reset },
      );
    },
  };
}
