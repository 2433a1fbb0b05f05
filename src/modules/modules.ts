import { type Module, sectionsOf } from '../gateway/module.js';
import { programs } from './programs/module.js';
import { relationships } from './relationships/module.js';

/** What a gateway can do beyond calling, each in a folder of its own: one line adds one. */
export const MODULES: readonly Module[] = [relationships, programs];

/** What the main file has of them. */
export const SECTIONS = sectionsOf(MODULES);
