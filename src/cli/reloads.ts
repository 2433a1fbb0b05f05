import type { ReloadState } from '../gateway/gateway.js';

interface ReloadsOptions {
  /** Of the files that the gateway was started with. */
  readonly digest: string;
  /** Of the files as they are now. */
  readonly readDigest: () => Promise<string>;
  readonly reload: (by: string) => Promise<Pick<ReloadState, 'outcome'>>;
}

/** Reloads the configuration when somebody asks for it and when its files change, but not for one change twice. */
export class Reloads {
  readonly #options: ReloadsOptions;
  /** Of the files that were read last, whether or not they were refused. */
  #taken: string;
  #inForce: string;

  constructor(options: ReloadsOptions) {
    this.#options = options;
    this.#taken = options.digest;
    this.#inForce = options.digest;
  }

  /** Of the files of the configuration that is in force. */
  get inForce(): string {
    return this.#inForce;
  }

  /** Reads the files whatever they say: secrets that they name by path may have changed. */
  async ask(by: string): Promise<void> {
    await this.#take(await this.#options.readDigest(), by);
  }

  /** Reads the files unless that has been done since they changed, as where a signal follows the change at once. */
  async noticeChange(): Promise<void> {
    const digest = await this.#options.readDigest();
    if (digest !== this.#taken) await this.#take(digest, 'its files have changed');
  }

  async #take(digest: string, by: string): Promise<void> {
    this.#taken = digest;
    const { outcome } = await this.#options.reload(by);
    if (outcome !== 'refused') this.#inForce = digest;
  }
}
