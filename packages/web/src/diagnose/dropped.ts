import type { Input } from '../core/protocol.ts';

/** Files of one drop that are read. */
const most = 2000;

/** Files and folders of a drop, by their paths. */
export async function filesOf(transfer: DataTransfer): Promise<readonly Input[]> {
  // Entries must be asked for before anything is awaited: the transfer ends with the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files];
  if (entries.every((entry) => entry === null)) return plain.map((file) => ({ name: file.name, file }));
  const files: Input[] = [];
  for (const entry of entries) if (entry !== null) await walk(entry, files);
  return files;
}

async function walk(entry: FileSystemEntry, files: Input[]): Promise<void> {
  if (files.length >= most) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    files.push({ name: entry.fullPath.replace(/^\//, ''), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives at most a hundred entries at a time, and none at the end.
    const some = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return;
    for (const each of some) await walk(each, files);
  }
}
