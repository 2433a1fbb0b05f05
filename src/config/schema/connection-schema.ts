/** The longest time of anything between the gateway and a server. */
export const MAX_TIMEOUT_MS = 86_400_000;

/** The keys of `instances`. */
export const INSTANCES_PROPERTIES = {
  max: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    description: 'Connections at once; who comes when all are in use is refused.',
  },
  idleSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    description: 'One that had no call for so long is ended, and the next call begins another; 0 for never.',
  },
  spare: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'How many wait, connected, for their first caller: for servers that start slowly.',
  },
};

/** The keys of `queue`. */
export const QUEUE_PROPERTIES = {
  max: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000,
    description: 'Calls that wait; of those beyond, the newest of the client that has most of them is refused.',
  },
  waitMs: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description: 'How long a call waits, in milliseconds; as long as it may take unless given.',
  },
};

/** The keys of `restarts`. */
export const RESTARTS_PROPERTIES = {
  max: {
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    description: 'Starts or connections anew within the window; 0 for without end.',
  },
  windowSeconds: { type: 'integer', minimum: 1, maximum: 86_400, description: 'The window, in seconds.' },
};

/** The keys of `circuit`. */
export const CIRCUIT_PROPERTIES = {
  failures: {
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    description:
      'Calls in a row that fail without an answer, by a time-out or with an HTTP status from 500 on; 0 for never.',
  },
  openSeconds: {
    type: 'integer',
    minimum: 1,
    maximum: 3_600,
    description: 'How long calls are refused before one is tried, in seconds.',
  },
};

/** The keys of `tls`, of the way to servers over HTTP. */
export const OUTBOUND_TLS_PROPERTIES = {
  ca: {
    type: 'string',
    minLength: 1,
    description: 'A PEM file with the authorities that are trusted in place of the public ones.',
  },
  cert: { type: 'string', minLength: 1, description: 'A PEM file with the certificate that the gateway shows.' },
  key: { type: 'string', minLength: 1, description: 'A PEM file with its key.' },
  serverName: {
    type: 'string',
    minLength: 1,
    description: "The name that the server's certificate must have, where that is not the host of the URL.",
  },
  acceptAnyCertificate: {
    type: 'boolean',
    description:
      'DANGEROUS: take any certificate, so that who is on the way can read and change everything. For trials only.',
  },
};

const ID = { type: 'integer', minimum: 0, maximum: 4_294_967_294 };

/** The keys of `limits` of a server that is a child process. */
export const CHILD_LIMITS_PROPERTIES = {
  memoryMb: {
    type: 'integer',
    minimum: 1,
    maximum: 1_048_576,
    description:
      'Resident memory of its processes together, in MiB, which is looked at every two seconds; pages that they share count for each.',
  },
  restartOnMemory: {
    type: 'boolean',
    description: 'Start it again beyond that, unless `false`: then a warning is logged.',
  },
  user: { ...ID, description: 'The id of the user that it runs as; for a gateway that runs as root.' },
  group: { ...ID, description: "The id of its group; the gateway's own unless given." },
};

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
