const texts = { type: 'string', minLength: 1 } as const;

/** How the job that an operation starts is followed. */
export const LIFECYCLE_PROPERTY = {
  type: 'object',
  additionalProperties: false,
  required: ['poll', 'id', 'parameter', 'status', 'states'],
  properties: {
    poll: { ...texts, description: "The server's READ that says how far the job is, by its tool's or its own name." },
    cancel: { ...texts, description: 'The operation that ends the job.' },
    id: { ...texts, description: "Where the job's id is in the answer that starts it: a dotted path." },
    parameter: { ...texts, description: 'The parameter of both operations that takes the id.' },
    status: { ...texts, description: 'Where the state is in the answer of `poll`: a dotted path.' },
    states: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { enum: ['completed', 'failed', 'cancelled'] },
      description: "The server's words that end a job, and what they mean; any other word means that it runs.",
    },
    percentage: { ...texts, description: 'Where its progress in percent is.' },
    message: { ...texts, description: 'Where its words about the progress are.' },
    everySeconds: {
      type: 'number',
      minimum: 0.05,
      maximum: 3_600,
      description: 'How often it is asked; 2 unless given.',
    },
  },
  description: 'Follow the job that it starts to its end, where it runs as an execution ([executions](executions.md)).',
} as const;
