import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { digestConfigFiles, stampConfigFiles } from '../config-files.js';
import type { GatewayConfig } from '../gateway-config.js';

type Watched = Pick<GatewayConfig, 'file' | 'upstreamsDir' | 'lock' | 'secretFiles'>;

interface WatchTimes {
  /** Editors write a file in several steps; the files are read when they have been quiet for so long. */
  readonly quietMs?: number;
  /** How often the files are looked at where the system reports nothing, as for some network folders. */
  readonly pollMs?: number;
}

/** Watches the files of a configuration. */
interface ConfigWatch {
  close(): void;
}

/**
 * Calls the listener when what the files say has changed. Folders are watched, as editors and `kubectl` replace files and links
 * instead of writing them; and they are looked at now and then, as not every file system reports changes.
 * @param config the one in force at this moment; a file that it names only after a reload is found by looking
 * @param digest of the files that are in force now
 */
export function watchConfig(
  config: () => Watched,
  digest: string,
  onChange: () => void,
  { quietMs = 200, pollMs = 5_000 }: WatchTimes = {},
): ConfigWatch {
  let [known, stamp] = [digest, ''];
  let quiet: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = async (): Promise<void> => {
    const stampNow = await stampConfigFiles(config());
    if (stampNow === stamp) return;
    const now = await digestConfigFiles(config());
    if (isClosed) return;
    stamp = stampNow;
    if (now === known) return;
    known = now;
    onChange();
  };
  const lookSoon = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(() => void look(), quietMs).unref();
  };
  const watchers = listFolders(config()).flatMap(({ folder, name }) => tryWatch(folder, name, lookSoon));
  const poll = setInterval(() => void look(), pollMs).unref();
  return {
    close() {
      isClosed = true;
      clearTimeout(quiet);
      clearInterval(poll);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The folders of the files, each with the file's name where others in it do not matter. */
function listFolders({
  file,
  upstreamsDir,
  lock,
  secretFiles = [],
}: Watched): readonly { folder: string; name: string | undefined }[] {
  const files = [...(file === null ? [] : [file]), lock.file, ...secretFiles];
  return [
    ...files.map((each) => ({ folder: dirname(each), name: basename(each) })),
    { folder: upstreamsDir, name: undefined },
  ];
}

/** None where the folder is missing or cannot be watched: it is looked at all the same. */
function tryWatch(folder: string, name: string | undefined, onEvent: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, changed) => {
      // `..data` is the link that Kubernetes replaces to change all mounted files at once.
      if (name === undefined || changed === null || changed === name || changed === '..data') onEvent();
    });
    // A folder that is removed ends its watcher; the poll goes on.
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
