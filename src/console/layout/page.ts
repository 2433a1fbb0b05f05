import type { Html } from '../../base/lib/html.js';
import type { CallRates } from '../../base/observe/call-rates.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { SessionRegistry } from '../../server/http/session-registry.js';
import type { Counter, Frame, Notice } from './frame.js';
import type { IconName } from './shapes.js';

/** The part of the address and the person that a page or an action is for. */
export interface Visit {
  /** By the names in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly operator: string;
  /** Where the browser reached the gateway: `https://mcp.example.org`. */
  readonly origin: string;
}

/** How a page stands in the navigation. */
interface Place {
  readonly icon: IconName;
  /** What stands together: 0 what is decided, 1 what is looked after, 2 what is looked back at. */
  readonly group: 0 | 1 | 2;
  /** What stands beside its name; undefined for nothing. Cheap: it is asked for with each page, and once a second while anybody looks. */
  readonly counter?: () => Promise<Counter | undefined> | Counter | undefined;
}

/** What every page says of itself. */
interface PageHead {
  /** Below `/ui/`, as fastify writes it: `approvals/:id`. */
  readonly path: string;
  /** Of the window, and in the navigation. */
  readonly title: string;
  /** The path of the page in the navigation that this one belongs to: itself where it stands there. */
  readonly section: string;
  /** Where it stands in the navigation; absent of pages that others lead to. */
  readonly place?: Place;
  /**
   * What is compared to learn whether the page is out of date: a small JSON value that is cheap to make. A page without it is not
   * refreshed by itself.
   */
  readonly pulse?: (() => unknown) | undefined;
}

interface PageOf<Model> extends PageHead {
  /** Undefined where there is no such thing. */
  readonly read: (visit: Visit) => Promise<Model | undefined> | Model | undefined;
  /** Pure. Its first heading is an `h1`. */
  readonly render: (model: Model, frame: Frame) => Html;
}

/** A page as the console shows it. */
export interface Page extends PageHead {
  /** Undefined where there is no such thing. */
  show(visit: Visit, frame: Frame): Promise<Html | undefined>;
}

export function definePage<Model>({ read, render, ...head }: PageOf<Model>): Page {
  return {
    ...head,
    async show(visit, frame) {
      const model = await read(visit);
      return model === undefined ? undefined : render(model, frame);
    },
  };
}

/** How an action ended. */
export interface Outcome {
  /** The page that is shown next, below `/ui/`. */
  readonly to: string;
  readonly notice?: Notice;
}

/** What a form does. */
export interface Action {
  /** The page that shows the `OperationError` that it may throw. */
  readonly section: string;
  /** Below `/ui/`, as fastify writes it: `approvals/:id/deny`. */
  readonly path: string;
  readonly run: (form: URLSearchParams, visit: Visit) => Promise<Outcome> | Outcome;
}

/** The pages and actions of one section. */
export interface Part {
  readonly pages: readonly Page[];
  readonly actions: readonly Action[];
}

/** What pages show beside the gateway. */
export interface ConsoleSources {
  /** The clients of the server that serves the console. */
  readonly sessions: SessionRegistry;
  /** How often is called; undefined where nothing counts. */
  readonly rates: Omit<CallRates, 'observe'> | undefined;
  /** Of the gateway. */
  readonly version: string;
}

/** Opens a section; without pages where the gateway has nothing of the kind. */
export type OpenPart = (gateway: Gateway, sources: ConsoleSources) => Part;

export const NO_PART: Part = { pages: [], actions: [] };
