import type { UPSTREAM_CREDENTIALS } from './schema/connection-schema.js';
import type { FAMILY, GATEWAY_PROPERTIES } from './schema/gateway-schema.js';
import type { OPERATION, RELATION } from './schema/operation-schema.js';
import type { API_LIMIT, LIMIT, MATCH, POLICY, PRICE, QUOTAS, RULE } from './schema/policy-schema.js';
import type { SAFETY_LOOP } from './schema/safety-schema.js';
import type { CLIENTS, ISSUER, OPERATORS } from './schema/server-schema.js';
import type { Input, Inputs } from './schema/setting.js';
import type { STORE } from './schema/storage-schema.js';
import type { SERVER_ENTRY, UPSTREAM_SCHEMA } from './schema/upstream-schema.js';
import type { VIEW } from './schema/view-schema.js';

/** The main file after validation, still as the operator wrote it. Only src/config uses the types of this file. */
export type GatewayDocument = Inputs<typeof GATEWAY_PROPERTIES>;

/** A file of `upstreams/`. */
export type UpstreamDocument = Input<typeof UPSTREAM_SCHEMA>;

/** One server as other clients write it, plus our curation keys. Every key may be missing. */
export type ServerEntry = Input<typeof SERVER_ENTRY>;

export type OperationEntry = Input<typeof OPERATION>;
export type RelationEntry = Input<typeof RELATION>;
export type UpstreamCredentialsEntry = Input<typeof UPSTREAM_CREDENTIALS>;
export type ApiLimitEntry = Input<typeof API_LIMIT>;
export type FamilyEntry = Input<typeof FAMILY>;
export type ClientEntry = Input<typeof CLIENTS>[string];
/** The tokens of an operator. */
export type KeysEntry = Input<typeof OPERATORS>[string];
/** One token of a client or operator. */
export type KeyEntry = NonNullable<KeysEntry['keys']>[number];
export type IssuerEntry = Input<typeof ISSUER>;
export type OAuthEntry = NonNullable<NonNullable<GatewayDocument['server']>['oauth']>;
export type PolicyEntry = Input<typeof POLICY>;
export type RuleEntry = Input<typeof RULE>;
export type MatchEntry = Input<typeof MATCH>;
export type WebhookEntry = NonNullable<NonNullable<PolicyEntry['approvals']>['webhook']>;
export type QuotasEntry = Input<typeof QUOTAS>;
export type QuotaEntry = Input<typeof LIMIT>;
export type PriceEntry = Input<typeof PRICE>;
export type SafetyLoopEntry = Input<typeof SAFETY_LOOP>;
export type StoreEntry = Input<typeof STORE>;
export type ViewEntry = Input<typeof VIEW>;
