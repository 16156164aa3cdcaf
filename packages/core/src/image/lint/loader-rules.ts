// Folders that a build puts on the loader's search path.
import type { BaseImage } from './base-image.ts';
import type { Notice } from './finding.ts';
import type { Reading } from './reading.ts';
import { developer, libraryFolder, placeOf } from './reading.ts';
import { bareCommand } from './shell.ts';
import type { Command, ShellWord } from './shell.ts';

/** Folders that are written to ld.so.conf, and links to the stub in a folder that the loader searches. */
export function loaderFolders(reading: Reading): readonly Notice[] {
  const notices: Notice[] = [];
  reading.commands.forEach((command, at) => {
    const { words } = command;
    const arrow = words.findIndex((word) => word.text === '>' || word.text === '>>');
    const tee = words.findIndex((word) => word.text === 'tee');
    const file =
      arrow >= 0
        ? words[arrow + 1]?.text
        : tee >= 0
          ? words.slice(tee + 1).find((word) => !word.text.startsWith('-'))?.text
          : undefined;
    if (file !== undefined && /^\/etc\/ld\.so\.conf(?:\.d\/|$)/.test(file)) {
      const piped = tee === 0 ? (reading.commands[at - 1]?.words ?? []) : [];
      const written = [...piped, ...words.slice(0, arrow >= 0 ? arrow : tee)];
      notices.push(...writtenFolders(reading, written, file, command.conditional));
    }
    const [program] = bareCommand(command);
    if (program !== undefined && ['ln', 'cp', 'install', 'mv'].includes(program.text))
      notices.push(...stubLink(reading, command, at));
  });
  return notices;
}

function writtenFolders(
  reading: Reading,
  words: readonly ShellWord[],
  file: string,
  conditional: boolean,
): readonly Notice[] {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return words.flatMap((word): readonly Notice[] => {
    const folders = word.text.split(/[\s\\]+n?|:/).filter((each) => each.startsWith('/'));
    // Files are taken in the order of their names: behind the folders of the distribution they do no harm.
    const behind = debianLike(reading.base) ? 'x86_64-linux-gnu.conf' : 'zz-nvcr';
    if (name !== 'ld.so.conf' && name > behind) return [];
    if (folders.some((each) => /\/stubs\/?$/.test(each)))
      return [
        stubNotice(
          reading,
          word,
          `${file} names a folder of stubs: the loader may take the stub for the driver`,
          conditional || !reading.stubs ? 'possible' : 'likely',
        ),
      ];
    if (folders.some((each) => /\/compat(?:\/lib(?:\.real)?)?\/?$/.test(each)))
      return [
        compatNotice(
          reading,
          word,
          `${file} puts the compat folder in front on every host, newer ones too`,
          conditional ? 'possible' : 'likely',
        ),
      ];
    return [];
  });
}

/** Red Hat's relatives have no file for the folders of the distribution. */
function debianLike(base: BaseImage | null): boolean {
  return base?.os == null || /^(?:ubuntu|debian)/.test(base.os);
}

function compatNotice(reading: Reading, word: ShellWord, message: string, certainty: Notice['certainty']): Notice {
  return {
    cause: 'compat-registered-for-every-host',
    certainty,
    message,
    places: [placeOf(reading, word)],
    remedies: [developer('leave it to the container toolkit, which takes compat libraries where they help')],
    restsOn: ['cuda-forward-compat'],
  };
}

function stubNotice(
  reading: Reading,
  word: Pick<ShellWord, 'line' | 'column'>,
  message: string,
  certainty: Notice['certainty'],
): Notice {
  return {
    cause: 'libcuda-stub-on-path',
    certainty,
    message,
    places: [placeOf(reading, word)],
    remedies: [
      developer('give the stub to the linker alone: LIBRARY_PATH, or -L', 'LIBRARY_PATH=/usr/local/cuda/lib64/stubs'),
    ],
    restsOn: ['container-toolkit-source'],
  };
}

/** `ln -s …/stubs/libcuda.so /usr/lib/…/libcuda.so.1`, or a copy of it, unless a later command of the build takes it away. */
function stubLink(reading: Reading, command: Command, at: number): readonly Notice[] {
  const paths = command.words.filter((word) => word.text.startsWith('/'));
  const [source, target] = paths;
  if (source === undefined || target === undefined || !/\/stubs\/libcuda\.so/.test(source.text)) return [];
  if (target.text.includes('/stubs') || !libraryFolder.test(target.text)) return [];
  // A copy that keeps its name is one for the linker: programs ask for libcuda.so.1.
  if (bareCommand(command)[0]?.text !== 'ln' && !target.text.endsWith('/libcuda.so.1')) return [];
  const removed = reading.commands
    .slice(at + 1)
    .some(
      (each) =>
        /^(?:rm|unlink)$/.test(bareCommand(each)[0]?.text ?? '') &&
        each.words.some((word) => word.text.includes('libcuda.so') || word.text === target.text),
    );
  return removed
    ? []
    : [stubNotice(reading, target, `${target.text} leads to the stub`, command.conditional ? 'possible' : 'likely')];
}
