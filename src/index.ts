/** The gateway as a library: load a configuration, open a gateway and serve it. */

export { createLogObserver } from './base/observe/log-observer.js';
export type { Observation, Observer } from './base/observe/observation.js';
export type { RawCall } from './base/protocol/call.js';
export { Cancellation } from './base/protocol/cancellation.js';
export { ERROR_TABLE, type ErrorCode } from './base/protocol/error-table.js';
export type { Category, DangerLevel, Operation, Parameter, TrustLevel } from './base/protocol/operation.js';
export { OperationError } from './base/protocol/operation-error.js';
export type { OperationFailure, OperationResult, OperationSuccess, Reply } from './base/protocol/result.js';
export type { GatewayConfig, UpstreamConfig } from './config/gateway-config.js';
export { ConfigError } from './config/load/diagnostics.js';
export { type LoadedConfig, loadConfig } from './config/load/load-config.js';
export { type CapturedList, openCapturedGateway, readCapturedLists } from './gateway/captured-gateway.js';
export {
  type Gateway,
  type GatewayDeps,
  type GatewayStatus,
  openGateway,
  type PlacedOperation,
} from './gateway/gateway.js';
export { MODULES, SECTIONS } from './modules/modules.js';
