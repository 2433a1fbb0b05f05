/** The gateway as a library: load a configuration, open a gateway and serve it. */

export { ConfigError } from './config/diagnostics.js';
export type { GatewayConfig, UpstreamConfig } from './config/gateway-config.js';
export { type LoadedConfig, loadConfig } from './config/load-config.js';
export { type CapturedList, openCapturedGateway, readCapturedLists } from './gateway/captured-gateway.js';
export {
  type Gateway,
  type GatewayDeps,
  type GatewayStatus,
  openGateway,
  type PlacedOperation,
} from './gateway/gateway.js';
export { createLogObserver } from './observe/log-observer.js';
export type { Observation, Observer } from './observe/observation.js';
export type { RawCall } from './protocol/call.js';
export { Cancellation } from './protocol/cancellation.js';
export { ERROR_TABLE, type ErrorCode } from './protocol/error-table.js';
export type { Category, DangerLevel, Operation, Parameter, TrustLevel } from './protocol/operation.js';
export { OperationError } from './protocol/operation-error.js';
export type { OperationFailure, OperationResult, OperationSuccess, Reply } from './protocol/result.js';
