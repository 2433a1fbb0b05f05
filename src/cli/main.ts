#!/usr/bin/env node
import { loadProgram } from './load-program.js';

await loadProgram().start();
