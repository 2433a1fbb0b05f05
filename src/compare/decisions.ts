import { DANGEROUS, type Found } from './compare-lists.js';
import type { Difference, Face } from './comparison.js';

/** A difference that is meant, and the page that says so. */
interface Decision {
  readonly page: string;
  readonly covers: (found: Found, face: Face) => boolean;
}

const DECISIONS: readonly Decision[] = [
  // A call that may change something asks first.
  { page: 'docs/classification.md', covers: ({ message }) => message.includes('CONFIRMATION_REQUIRED') },
  { page: 'docs/passthrough.md', covers: ({ message }) => message === DANGEROUS },
  // What a call may be as a task is the gateway's to say: it drives tasks for clients that cannot.
  { page: 'docs/tasks.md', covers: ({ message }) => message === 'its execution differs' },
  // Names that models' interfaces refuse end in a hash.
  {
    page: 'docs/passthrough.md',
    covers: ({ kind, subject }, face) =>
      face === 'passthrough' && kind === 'lost' && /^tool '(?:.{65,}|.*[^\w-].*)'$/.test(subject),
  },
];

/** The page that documents a difference; nothing where none does. */
export function decisionOn(face: Face, found: Found): Pick<Difference, 'decision'> {
  const decision = DECISIONS.find(({ covers }) => covers(found, face));
  return decision === undefined ? {} : { decision: decision.page };
}
