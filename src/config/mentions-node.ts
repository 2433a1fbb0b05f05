/** Stands, in the texts of a relation's `params`, for the node that is looked at. */
export const NODE_SIGN = '$id';

/** Whether parameters speak of the node that is looked at; where they do not, one call tells all connections. */
export function mentionsNode(params: unknown): boolean {
  if (typeof params === 'string') return params.includes(NODE_SIGN);
  return typeof params === 'object' && params !== null && Object.values(params).some(mentionsNode);
}
