import { measureJson } from '../../base/json/measure.js';
import { getOrMake, Versions } from '../../base/lib/collections.js';
import { fingerprintTool } from '../../base/protocol/fingerprint-tool.js';
import type { Operation } from '../../base/protocol/operation.js';
import { type Diagnostic, LONGEST_DEFINITION, type RawTool } from '../../base/protocol/tools.js';
import { readTool, type ToolReading } from '../../classify/facts.js';
import { splitTool, type ToolSplit } from '../grouped-tools/split-tool.js';
import { findNameWords } from './foreign-names.js';
import { inspectDefinition, type Suspicion } from './inspect-definition.js';

/** What is made of a tool, or of a part of it, under one name and configuration. */
export interface CreatedOperation {
  /** Undefined where the tool cannot be read. */
  readonly operation: Operation | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** A definition as clients read it, under one name. */
export interface WrittenDefinition {
  readonly json: string;
  /** The paths of what was mended or left out. */
  readonly odd: readonly string[];
}

/**
 * A definition as a server sent it, and what depends on it alone, worked out when it is first asked for: a catalog is built again
 * whenever any upstream's list changes, and nearly all of its tools are the same then.
 */
export class ToolRecord {
  readonly raw: RawTool;
  /** By everything else that they depend on. */
  readonly operations = new Versions<CreatedOperation>();
  /** By the exposed name: views show the same definitions. */
  readonly written = new Versions<WrittenDefinition>();
  /** By the upstream: whether it runs statements that may be proven to only read. */
  readonly runsStatements = new Versions<boolean>();
  #length: number | undefined;
  #fingerprint: string | undefined;
  #suspicions: readonly Suspicion[] | undefined;
  #nameWords: ReadonlySet<string> | undefined;
  #reading: ToolReading | undefined;
  #split: ToolSplit | null | undefined;

  constructor(raw: RawTool) {
    this.raw = raw;
  }

  /** Whether its definition has more characters than are read; measured no further than to those. */
  get isTooLong(): boolean {
    this.#length ??= measureJson(this.raw, LONGEST_DEFINITION);
    return this.#length > LONGEST_DEFINITION;
  }

  /** As `fingerprintTool` computes it. */
  get fingerprint(): string {
    this.#fingerprint ??= fingerprintTool(this.raw);
    return this.#fingerprint;
  }

  /** What an operator should review; nothing of one that is too long, which is left out of the catalog and reported. */
  get suspicions(): readonly Suspicion[] {
    this.#suspicions ??= this.isTooLong ? [] : inspectDefinition(this.raw);
    return this.#suspicions;
  }

  /** The words of its description that may be names of tools. */
  get nameWords(): ReadonlySet<string> {
    this.#nameWords ??= findNameWords(this.raw);
    return this.#nameWords;
  }

  /** What classification reads once for all parts of a grouped tool. */
  get reading(): ToolReading {
    this.#reading ??= readTool(this.raw);
    return this.#reading;
  }

  /** The operations that its grouping parameter makes of it; null where it stays whole. */
  get split(): ToolSplit | null {
    if (this.#split === undefined) this.#split = splitTool(this.raw, () => this.reading);
    return this.#split;
  }
}

/** The records of a gateway's tools; one goes with its definition. */
export class ToolRecords {
  readonly #records = new WeakMap<RawTool, ToolRecord>();

  of(raw: RawTool): ToolRecord {
    return getOrMake(this.#records, raw, () => new ToolRecord(raw));
  }
}
