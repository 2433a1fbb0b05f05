const texts = { type: 'string', minLength: 1 };

/** What curation says of what the gateway does about calls beside passing them on. */
export const SERVING_PROPERTIES = {
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
