import { spawn } from 'node:child_process';
import { type ChallengeChannel, describeAnnouncement } from './channel.js';

/** Reads the text to its end, and shows it. */
const DARWIN_SCRIPT = [
  "ObjC.import('Foundation')",
  'const data = $.NSFileHandle.fileHandleWithStandardInput.readDataToEndOfFile',
  'const text = $.NSString.alloc.initWithDataEncoding(data, 4).js',
  'const app = Application.currentApplication()',
  'app.includeStandardAdditions = true',
  "app.displayDialog(text, { withTitle: 'MCP-AQL gateway', buttons: ['Close'] })",
].join('; ');

/**
 * The programs that show a dialog, by platform. They read the text from their standard input: what stands in a command line is read by every program
 * of the machine.
 */
const DIALOGS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>>> = {
  linux: ['zenity', ['--text-info', '--title=MCP-AQL gateway', '--width=640', '--height=400']],
  darwin: ['osascript', ['-l', 'JavaScript', '-e', DARWIN_SCRIPT]],
};

/** Shows each challenge with its code on the screen of this machine. */
export function openDesktopChannel(): ChallengeChannel {
  const dialog = DIALOGS[process.platform];
  const open = new Set<{ kill(): boolean }>();
  return {
    name: `dialog by ${dialog?.[0] ?? 'nothing'}`,
    send(announcement) {
      if (dialog === undefined) return Promise.reject(new Error(`no dialog is known for ${process.platform}`));
      const [command, args] = dialog;
      return new Promise((resolve, reject) => {
        const child = spawn(command, [...args], { stdio: ['pipe', 'ignore', 'ignore'] });
        open.add(child);
        child.once('spawn', resolve);
        child.once('error', reject);
        child.once('exit', () => open.delete(child));
        child.stdin.on('error', () => undefined).end(describeAnnouncement(announcement));
        const ms = announcement.challenge.expiresAt - Date.now();
        setTimeout(() => child.kill(), Math.max(0, ms)).unref();
      });
    },
    async close() {
      for (const child of open) child.kill();
    },
  };
}
