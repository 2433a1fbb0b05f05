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

const WINDOWS_SCRIPT = [
  'Add-Type -AssemblyName System.Windows.Forms',
  '[Console]::InputEncoding = [Text.Encoding]::UTF8',
  '$text = [Console]::In.ReadToEnd()',
  "[void][System.Windows.Forms.MessageBox]::Show($text, 'MCP-AQL gateway')",
].join('; ');

/** A program that cannot show anything ends within this time. */
const APPEARS_MS = 1_000;

/**
 * The programs that show a dialog, by platform. They read the text from their standard input: what stands in a command line is read by every program
 * of the machine.
 */
const DIALOGS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>>> = {
  linux: ['zenity', ['--text-info', '--title=MCP-AQL gateway', '--width=640', '--height=400']],
  darwin: ['osascript', ['-l', 'JavaScript', '-e', DARWIN_SCRIPT]],
  win32: ['powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', WINDOWS_SCRIPT]],
};

/** Shows each challenge with its code on the screen of this machine. */
export function openDesktopChannel(platform: NodeJS.Platform = process.platform): ChallengeChannel {
  const dialog = DIALOGS[platform];
  const open = new Set<{ kill(): boolean }>();
  return {
    name: `dialog by ${dialog?.[0] ?? 'nothing'}`,
    send(announcement) {
      if (dialog === undefined) return Promise.reject(new Error(`no dialog is known for ${platform}`));
      const [command, args] = dialog;
      return new Promise((resolve, reject) => {
        const child = spawn(command, [...args], { stdio: ['pipe', 'ignore', 'ignore'] });
        open.add(child);
        const appears = setTimeout(resolve, APPEARS_MS);
        child.once('error', reject);
        child.once('exit', (code) => {
          open.delete(child);
          clearTimeout(appears);
          if (code === 0) resolve();
          else reject(new Error(`${command} showed nothing and ended with code ${code}`));
        });
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
