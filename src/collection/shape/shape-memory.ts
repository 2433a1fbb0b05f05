import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../catalog/integrity/canonical-json.js';
import type { Operation } from '../../protocol/operation.js';
import type { ItemField, ResultShape } from '../result-desk.js';
import { describedFields } from './describe-items.js';
import { declaredShape, isReadable } from './find-shape.js';
import { type Experience, NO_EXPERIENCE, weighAnswer } from './weigh-answer.js';

/** Operations that are remembered; the least recently used are forgotten first. */
const MAX_OPERATIONS = 10_000;

const NO_FIELDS: readonly ItemField[] = [];

/** What is known of operations' answers: what is said of them, and what they turned out to be. */
export interface ShapeMemory {
  /** The same object until more is known. Undefined where nothing is certain, and for whatever is not a READ of an upstream. */
  shapeOf(operation: Operation): ResultShape | undefined;
  /** The fields of a collection's items; the same list until more is known. */
  fieldsOf(operation: Operation): readonly ItemField[];
  /**
   * Takes note of an answer: cheap, as only the outside and the first items are looked at. Three that agree make a shape certain;
   * one that contradicts takes it back for good.
   */
  learn(operation: Operation, data: unknown): void;
}

/** What is known of an operation before it is ever called. */
interface Declaration {
  readonly shape: ResultShape | undefined;
  readonly fields: readonly ItemField[];
  /**
   * Under what its answers are remembered: one definition, so that it survives a catalog that is built anew and not a changed
   * tool. Undefined where there is nothing to learn.
   */
  readonly key: string | undefined;
}

export function createShapeMemory(): ShapeMemory {
  const experiences = new LRUCache<string, Experience>({ max: MAX_OPERATIONS });
  const recall = ({ key }: Declaration): Experience | undefined =>
    key === undefined ? undefined : experiences.get(key);
  return {
    shapeOf: (operation) => {
      const declaration = declarationOf(operation);
      const learned = recall(declaration)?.shape;
      // A name says that there is a list; that there is none today proves nothing against it.
      return declaration.shape === undefined || learned?.kind === 'collection'
        ? (learned ?? declaration.shape)
        : declaration.shape;
    },
    fieldsOf: (operation) => {
      const declaration = declarationOf(operation);
      return recall(declaration)?.fields ?? declaration.fields;
    },
    learn: (operation, data) => {
      const { key } = declarationOf(operation);
      if (key === undefined) return;
      const before = experiences.get(key) ?? NO_EXPERIENCE;
      const after = weighAnswer(before, data);
      if (after !== before) experiences.set(key, after);
    },
  };
}

/** Operations never change. */
const declarations = new WeakMap<Operation, Declaration>();

function declarationOf(operation: Operation): Declaration {
  const known = declarations.get(operation);
  if (known !== undefined) return known;
  const declaration = readDeclaration(operation);
  declarations.set(operation, declaration);
  return declaration;
}

function readDeclaration(operation: Operation): Declaration {
  const shape = declaredShape(operation);
  const path = shape?.kind === 'collection' ? shape.path : null;
  const fields = path === null ? NO_FIELDS : describedFields(operation, path);
  const isTold = shape?.kind === 'object' || fields.length > 0;
  return { shape, fields, key: isTold || !isReadable(operation) ? undefined : keyOf(operation) };
}

function keyOf({ qualifiedName, tool, inputSchema, outputSchema, fixedArguments }: Operation): string | undefined {
  try {
    const definition = canonicalJson([qualifiedName, tool, inputSchema, outputSchema, fixedArguments]);
    return createHash('sha256').update(definition).digest('base64url');
  } catch {
    // A definition that is nested beyond reason is nobody's: nothing is remembered of it.
    return undefined;
  }
}
