import fc from 'fast-check';

/** A fixed seed makes test runs repeatable; set another one to explore. */
const SEED = 20_261_121;

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? SEED) });
