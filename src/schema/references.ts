import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { lookUpPointer } from './schema-shape.js';

/** Where references of one schema document lead. */
interface References {
  /** What a reference leads to from a schema of the document; undefined for one that leads out of it, or nowhere. */
  resolve(reference: string, from: JsonSchema): unknown;
}

/** A part of the document with an address of its own (`$id`), and its named places. */
interface Resource {
  readonly root: JsonSchema;
  readonly address: string;
  readonly anchors: Map<string, JsonSchema>;
}

/** A document needs an address for others to be relative to; this one is nobody's (RFC 2606). */
const BASE = 'https://schema.invalid/';

/**
 * Follows references within one document: JSON pointers, anchors and embedded `$id`s. Nothing is ever fetched. A dynamic
 * reference is read as a plain one, and where an anchor is there twice it cannot be told which is meant.
 */
export function createReferences(root: JsonSchema): References {
  const index = indexOnce(root);
  return {
    resolve: (reference, from) => {
      if (reference === '#') return index().resourceOf(from).root;
      if (reference.startsWith('#')) return findFragment(index().resourceOf(from), reference.slice(1));
      const address = addressOf(reference, index().resourceOf(from).address);
      if (address === undefined) return undefined;
      const [place = '', fragment = ''] = address.split('#', 2);
      const resource = index().byAddress.get(place);
      return resource === undefined ? undefined : findFragment(resource, fragment);
    },
  };
}

function findFragment(resource: Resource, fragment: string): unknown {
  if (fragment === '') return resource.root;
  return fragment.startsWith('/') ? lookUpPointer(`#${fragment}`, resource.root) : resource.anchors.get(fragment);
}

interface Index {
  readonly byAddress: ReadonlyMap<string, Resource>;
  resourceOf(schema: JsonSchema): Resource;
}

/** Built at the first reference, without recursion. */
function indexOnce(root: JsonSchema): () => Index {
  let index: Index | undefined;
  return () => {
    index ??= createIndex(root);
    return index;
  };
}

function createIndex(root: JsonSchema): Index {
  const main: Resource = { root, address: addressOf(root['$id'], BASE) ?? BASE, anchors: new Map() };
  const byAddress = new Map([[withoutFragment(main.address), main]]);
  const owners = new Map<object, Resource>();
  const twice = new Set<string>();
  const open: (readonly [value: object, owner: Resource])[] = [[root, main]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, outer] = next;
    if (owners.has(value)) continue;
    const owner = isJsonObject(value) && value !== root ? embedded(value, outer, byAddress) : outer;
    // Most documents are one resource, and need no list of what belongs to it.
    if (owner !== main) owners.set(value, owner);
    if (isJsonObject(value)) addAnchors(value, owner, twice);
    for (const member of Object.values(value))
      if (typeof member === 'object' && member !== null) open.push([member, owner]);
  }
  return { byAddress, resourceOf: (schema) => owners.get(schema) ?? main };
}

/** The resource that a schema with an `$id` begins; the one around it elsewhere. */
function embedded(schema: JsonSchema, outer: Resource, byAddress: Map<string, Resource>): Resource {
  const id = schema['$id'];
  const address = typeof id === 'string' && !id.startsWith('#') ? addressOf(id, outer.address) : undefined;
  if (address === undefined) return outer;
  const resource: Resource = { root: schema, address, anchors: new Map() };
  byAddress.set(withoutFragment(address), resource);
  return resource;
}

function addAnchors(schema: JsonSchema, { root, address, anchors }: Resource, twice: Set<string>): void {
  const id = schema['$id'];
  const names = [
    schema['$anchor'],
    schema['$dynamicAnchor'],
    typeof id === 'string' && id.startsWith('#') ? id.slice(1) : '',
  ];
  for (const name of new Set(names)) {
    if (typeof name !== 'string' || name === '') continue;
    const key = `${address}#${name}`;
    if (anchors.has(name) || twice.has(key)) {
      twice.add(key);
      anchors.delete(name);
    } else {
      anchors.set(name, schema === root ? root : schema);
    }
  }
}

function addressOf(reference: unknown, base: string): string | undefined {
  if (typeof reference !== 'string') return undefined;
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? '';
}
