// Where a library looks for others: the tags RPATH and RUNPATH of its dynamic section.
//
// $ readelf -d libtorch_cuda.so | grep -E 'RPATH|RUNPATH'
//  0x000000000000000f (RPATH)              Library rpath: [$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN]
// $ readelf -d a.so b.so
// File: a.so
//  0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN]
// $ objdump -p libtorch_cuda.so
//   RUNPATH              $ORIGIN/../../nvidia/cudnn/lib
import type { Document, Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, commandWords, filled, pipeline } from './blocks.ts';

/** Tags of one library; both lists are empty where it has neither. */
export interface LibraryTags {
  readonly path: string;
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** What says so; the prompt where nothing more was printed. */
  readonly line: Line;
}

const tag =
  /(?:\((RPATH|RUNPATH)\) {1,30}Library r(?:un)?path: \[([^\]]{0,8000})\]|^ {1,4}(RPATH|RUNPATH) {1,30}(\S.{0,8000})$)/;

/** Tags of all libraries that a document shows, by their paths as they are named. */
export function tagsOf(document: Document): readonly LibraryTags[] {
  const found: LibraryTags[] = [];
  for (const block of blocksOf(document)) {
    const [program, option, ...names] = commandWords(pipeline(block.command)[0] ?? '');
    if (program !== 'readelf' && program !== 'objdump') continue;
    if (option === undefined || !/^-\w{0,6}[dp]/.test(option)) continue;
    let current: { path: string; rpath: string[]; runpath: string[]; line: Line } | null = null;
    let unread = false;
    const close = (): void => {
      if (current !== null && !unread) found.push(current);
      current = null;
      unread = false;
    };
    const start = (path: string, line: Line): void => {
      close();
      current = { path, rpath: [], runpath: [], line };
    };
    if (names.length === 1) start(names[0]!, block.prompt);
    for (const line of filled(block.output)) {
      const text = line.clean.trimEnd();
      const file = /^File: (\S.{0,1000})$/.exec(text)?.[1] ?? /^(\S.{0,1000}?): {5}file format elf/.exec(text)?.[1];
      if (file !== undefined) {
        // The only file of a command is named once more.
        if (names.length === 1) current = null;
        start(file, line);
        continue;
      }
      if (/^\(not read\)$|[Ee]rror: |[Nn]o such file|not an ELF|not recognized/.test(text)) unread = true;
      const match = tag.exec(text);
      const now = current as { rpath: string[]; runpath: string[]; line: Line } | null;
      if (match === null || now === null) continue;
      const kind = (match[1] ?? match[3]) === 'RPATH' ? now.rpath : now.runpath;
      kind.push(...(match[2] ?? match[4]!).split(':').filter((each) => each !== ''));
      now.line = line;
    }
    close();
  }
  return found;
}

/** `$ORIGIN` stands for the folder of the library; others than absolute folders depend on where a process stands. */
export function foldersOf(entries: readonly string[], path: string): readonly string[] {
  const origin = path.slice(0, path.lastIndexOf('/'));
  return entries
    .map((each) => each.replaceAll('${ORIGIN}', origin).replaceAll('$ORIGIN', origin))
    .filter((each) => each.startsWith('/') && !each.includes('$'));
}

export const libraryTags: Parser = {
  id: 'library-tags',
  literals: ['rpath', 'runpath', 'readelf -d', 'objdump -p'],
  keep: { before: 1, after: 1 },
  parse(document, _hits, sink) {
    for (const { path, rpath, runpath, line } of tagsOf(document))
      if (!line.told) sink.add('library.tags', { path, rpath, runpath }, line);
  },
};
