/** A parameter or field as introspection shows it: the introspection document's `ParameterInfo`. */
export interface ParameterInfo {
  readonly name: string;
  /** A JSON type, or the name of a type that `introspect {query: "types"}` explains. */
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  /** Inclusive. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** What each element of an array is. */
  readonly items?: ItemInfo;
  /** Clients should mask the value. */
  readonly sensitive?: boolean;
}

/** A `ParameterInfo` of something that has no name. */
export type ItemInfo = Omit<ParameterInfo, 'name' | 'required'>;

/** One line of the list of types. */
export interface TypeInfo {
  readonly name: string;
  readonly kind: 'enum' | 'object' | 'scalar' | 'union';
  readonly description?: string;
}

/** A type in full; the kind decides what comes with it. */
export type TypeDetails = { readonly name: string; readonly description?: string } & (
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'object'; readonly fields: readonly ParameterInfo[] }
  | { readonly kind: 'union'; readonly members: readonly string[] }
  | { readonly kind: 'scalar' }
);
