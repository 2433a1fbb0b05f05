import type { IncomingMessage } from 'node:http';
import { CarriedHeaders } from '../../base/protocol/caller.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';

/** What a request carries for upstreams that are called with their callers' rights. */
type Carry = (request: IncomingMessage) => CarriedHeaders;

/** Finds the headers that upstreams want, and follows the configuration. */
export class HeaderCarrier {
  /** Undefined where no upstream wants any. */
  carry: Carry | undefined;
  readonly stop: () => void;

  constructor({ config, onReloaded }: Pick<Gateway, 'config' | 'onReloaded'>) {
    this.carry = carryOf(config);
    this.stop = onReloaded((next) => {
      this.carry = carryOf(next);
    });
  }
}

function carryOf({ upstreams }: GatewayConfig): Carry | undefined {
  const names = new Set(upstreams.flatMap(namesOf));
  if (names.size === 0) return undefined;
  return ({ headers }) => {
    const given = [...names].flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, [value].flat().join(', ')] as const];
    });
    return new CarriedHeaders(new Map(given));
  };
}

function namesOf({ credentials, disabled }: GatewayConfig['upstreams'][number]): readonly string[] {
  if (disabled || credentials === undefined || credentials.type === 'perUser') return [];
  return credentials.type === 'exchange' ? ['authorization'] : credentials.headers;
}
