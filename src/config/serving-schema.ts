const texts = { type: 'string', minLength: 1 };

const TEXTS_OF_DEPRECATION = {
  replacement: { ...texts, description: 'What to call instead.' },
  removalDate: { ...texts, description: 'When it goes, for example `2027-01-31`.' },
  note: { ...texts, maxLength: 500, description: 'What else callers should know.' },
};

/** What curation says of what the gateway does about calls beside passing them on. */
export const SERVING_PROPERTIES = {
  deprecated: {
    type: 'object',
    additionalProperties: false,
    properties: TEXTS_OF_DEPRECATION,
    description: 'Warn whoever calls it, once a session: `replacement`, `removalDate` and `note` say what to do.',
  },
  slowMs: {
    type: 'integer',
    minimum: 1,
    maximum: 86_400_000,
    description: 'Warn of a call of it that takes longer, in milliseconds.',
  },
  cache: {
    type: 'object',
    additionalProperties: false,
    required: ['ttlSeconds'],
    properties: {
      ttlSeconds: { type: 'integer', minimum: 1, maximum: 86_400, description: 'How long an answer is good.' },
    },
    description: 'Answer equal calls of a READ from memory for `ttlSeconds`, until something is written to its server.',
  },
  merge: {
    type: 'object',
    additionalProperties: false,
    required: ['read'],
    properties: {
      read: { ...texts, description: "The server's READ of the same thing, by its tool's or its own name." },
      identifiers: {
        type: 'object',
        additionalProperties: texts,
        description: "Parameters of that READ with the UPDATE's that fill them, where their names differ.",
      },
      path: {
        ...texts,
        description: 'Where in its answer the thing is: a dotted path; the answer itself unless given.',
      },
    },
    description:
      'Make an UPDATE that replaces one that merges: `read` names the READ of the same thing, `identifiers` its parameters ' +
      "with the UPDATE's where they differ, `path` where in its answer the thing is.",
  },
};
