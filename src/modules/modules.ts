import type { Module } from '../gateway/module.js';
import { programs } from './programs/module.js';
import { relationships } from './relationships/module.js';

/** What a gateway can do beyond calling, each in a folder of its own: one line adds one. */
export const MODULES: readonly Module[] = [relationships, programs];
