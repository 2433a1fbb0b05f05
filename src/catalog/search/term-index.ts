import { SEARCH_FIELDS, type SearchField } from './settings.js';

/** What is indexed: the stems of each field, separated by spaces. */
export type SearchDocument = Readonly<Record<SearchField, string>>;

/** The constants of BM25+: how soon further occurrences stop adding, how much long fields lose, and what any occurrence adds. */
const [SATURATION, LENGTH_LOSS, LEAST] = [1.2, 0.7, 0.5] as const;

/** The documents that have a stem in one field, by their places, and how often each has it. The arrays correspond by index. */
interface Occurrences {
  readonly places: number[];
  readonly counts: number[];
}

type FieldOccurrences = Partial<Record<SearchField, Occurrences>>;

/** What is known of one field of all documents: how many different stems each has, and their mean. */
interface FieldLengths {
  readonly lengths: number[];
  mean: number;
}

/**
 * An inverted index of documents that consist of stems. A stem is looked up in time that follows from how many documents have it, a
 * microsecond for ten or so.
 */
export class TermIndex {
  readonly #weights: Readonly<Record<SearchField, number>>;
  readonly #stems = new Map<string, FieldOccurrences>();
  readonly #fields = new Map<SearchField, FieldLengths>(
    SEARCH_FIELDS.map((field) => [field, { lengths: [], mean: 0 }]),
  );
  #documents = 0;

  /** @param weights how much an occurrence counts, by its field */
  constructor(weights: Readonly<Record<SearchField, number>>) {
    this.#weights = weights;
  }

  /** Adds a document, whose place is the number of those that were added before it. */
  add(document: SearchDocument): void {
    for (const [field, known] of this.#fields) {
      const counts = countStems(document[field]);
      known.lengths.push(counts.size);
      known.mean = (known.mean * this.#documents + counts.size) / (this.#documents + 1);
      for (const [stem, count] of counts) {
        if (stem !== '') this.#note(stem, field, count);
      }
    }
    this.#documents += 1;
  }

  has(stem: string): boolean {
    return this.#stems.has(stem);
  }

  /** The places of the documents that have a stem in a field. */
  placesIn(field: SearchField, stem: string): readonly number[] {
    return this.#stems.get(stem)?.[field]?.places ?? [];
  }

  /** The places of the documents that have a stem, and what it scores in each: the sum of BM25+ over the fields, by their weights. */
  score(stem: string): ReadonlyMap<number, number> {
    const scores = new Map<number, number>();
    const occurrences = this.#stems.get(stem);
    if (occurrences === undefined) return scores;
    for (const [field, { lengths, mean }] of this.#fields) {
      const { places, counts } = occurrences[field] ?? NOWHERE;
      const rarity = Math.log(1 + (this.#documents - places.length + 0.5) / (places.length + 0.5));
      for (const [index, place] of places.entries()) {
        const count = counts[index] ?? 0;
        const length = 1 - LENGTH_LOSS + (LENGTH_LOSS * (lengths[place] ?? 0)) / mean;
        const gain = rarity * (LEAST + (count * (SATURATION + 1)) / (count + SATURATION * length));
        scores.set(place, (scores.get(place) ?? 0) + this.#weights[field] * gain);
      }
    }
    return scores;
  }

  #note(stem: string, field: SearchField, count: number): void {
    const known: FieldOccurrences = this.#stems.get(stem) ?? {};
    const occurrences = known[field] ?? { places: [], counts: [] };
    occurrences.places.push(this.#documents);
    occurrences.counts.push(count);
    known[field] = occurrences;
    this.#stems.set(stem, known);
  }
}

const NOWHERE: Occurrences = { places: [], counts: [] };

function countStems(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stem of text.split(' ')) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}
