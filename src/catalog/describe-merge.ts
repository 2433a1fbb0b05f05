import type { Operation } from '../protocol/operation.js';

/** What an UPDATE makes of what its `input` leaves out, in one sentence for a model. */
export function describeMerge({ merge }: Operation): string {
  return merge === undefined
    ? "What becomes of fields and members that 'input' leaves out is up to the upstream."
    : "The gateway merges: fields and members that 'input' leaves out stay, null removes a member, lists replace; 'if_match' (expected field values, or a version) refuses the update where the resource is not so.";
}
