import type { Input } from '../core/protocol.ts';

/** Files of one drop that are read. */
const most = 10_000;
const deepest = 16;
const natural = new Intl.Collator('en', { numeric: true });

/** Files and folders of a drop, by their paths. */
export async function filesOf(transfer: DataTransfer): Promise<readonly Input[]> {
  // Entries must be asked for before anything is awaited: the transfer ends with the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files];
  if (entries.every((entry) => entry === null)) return plain.map((file) => ({ name: file.name, file }));
  const files: Input[] = [];
  for (const entry of entries) if (entry !== null) await walk(entry, files, 0);
  // `rank2.log` before `rank10.log`; what was dropped one by one keeps its order.
  return files.some(({ name }) => name.includes('/'))
    ? files.toSorted((a, b) => natural.compare(a.name, b.name))
    : files;
}

async function walk(entry: FileSystemEntry, files: Input[], depth: number): Promise<void> {
  if (files.length >= most || depth > deepest) return;
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
    for (const each of some) await walk(each, files, depth + 1);
  }
}
