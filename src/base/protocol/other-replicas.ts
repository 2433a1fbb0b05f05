/** How many other gateways of the store are configured like this one, and how many are not. */
export interface OtherReplicas {
  readonly same: number;
  readonly different: number;
}

/** How many gateways share the store, in words. */
export function describeReplicas({ same, different }: OtherReplicas): string {
  const all = same + different;
  if (all === 0) return 'no other gateway shares the store';
  const others = all === 1 ? '1 other gateway shares the store' : `${all} other gateways share the store`;
  return different === 0 ? `${others}, configured alike` : `${others}, ${different} of them configured differently`;
}
