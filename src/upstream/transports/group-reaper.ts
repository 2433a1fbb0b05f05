import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Remembers the process groups it reads on stdin and kills those that are left when stdin ends. A POSIX shell costs about a
 * megabyte; it sits in a session of its own, so that neither a terminal's Ctrl-C nor a kill of the gateway's group reaches it.
 */
const SCRIPT = `
groups=' '
while read -r op pgid; do
  case $op in
    +) groups="$groups$pgid " ;;
    -) case $groups in *" $pgid "*) groups="\${groups%% $pgid *} \${groups#* $pgid }" ;; esac ;;
  esac
done
for pgid in $groups; do kill -s KILL -- "-$pgid" 2>/dev/null; done
`;

export interface GroupReaper {
  watch(pgid: number): void;
  unwatch(pgid: number): void;
}

const IDLE: GroupReaper = { watch: () => {}, unwatch: () => {} };

/**
 * A helper process that outlives the gateway by a moment. Exit hooks cannot run when the gateway dies of SIGKILL or a crash
 * of the runtime, but the kernel then closes the pipe between the two, and the helper ends the groups it was told of.
 * Where there is no POSIX shell it does nothing.
 */
export function startGroupReaper(): GroupReaper {
  if (process.platform === 'win32') return IDLE;
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
  });
  // Without the helper the exit hook still covers every other way to end.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  releaseEventLoop(child);
  const tell = (line: string): void => {
    child.stdin.write(line);
  };
  return { watch: (pgid) => tell(`+ ${pgid}\n`), unwatch: (pgid) => tell(`- ${pgid}\n`) };
}

/** The helper must not keep the gateway alive. */
function releaseEventLoop(child: ChildProcess): void {
  child.unref();
  const { stdin } = child;
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}
