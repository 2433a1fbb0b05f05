/** The gateway as a library: load a configuration, open a gateway, put fronts before it. */
export { type CapturedList, openCapturedGateway, readCapturedLists } from './captured-gateway.js';
export { ConfigError } from './config/config-error.js';
export type { GatewayConfig, UpstreamConfig } from './config/gateway-config.js';
export { type LoadedConfig, loadConfig } from './config/load-config.js';
export { type Gateway, type GatewayDeps, type GatewayStatus, openGateway, type PlacedOperation } from './gateway.js';
export { createLogObserver } from './observe/log-observer.js';
export type { Observation, Observer } from './observe/observation.js';
export { Cancellation } from './protocol/cancellation.js';
export type { Category } from './protocol/category.js';
export type { DangerLevel, TrustLevel } from './protocol/danger.js';
export { ERROR_TABLE, type ErrorCode } from './protocol/error-table.js';
export type { Operation, Parameter } from './protocol/operation.js';
export { OperationError } from './protocol/operation-error.js';
export type { RawCall } from './protocol/raw-call.js';
export type { OperationFailure, OperationResult, OperationSuccess, Reply } from './protocol/result.js';
