import { Console } from 'node:console';

/**
 * Sends everything that any library prints through `console` to stderr: on stdio, stdout carries only the protocol, and one
 * other line ends the session of a strict client.
 */
export function protectStdout(): void {
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
}
