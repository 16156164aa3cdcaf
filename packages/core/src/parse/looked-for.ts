// What was looked for and is not there.
//
// $ ldconfig -p | grep libcuda
// $ ls /usr/lib/x86_64-linux-gnu/libcuda.so.1
// ls: cannot access '/usr/lib/x86_64-linux-gnu/libcuda.so.1': No such file or directory
// -rwxr-xr-x 1 root root 0 Mar  3 10:11 /usr/lib/x86_64-linux-gnu/libcuda.so.470.57.02
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { variablesOfToolkit } from './container-settings.ts';
import { blocksOf, commandWords, filled, pipeline } from './blocks.ts';

/** Words that a grep at the end of a pipeline looked for. */
function grepped(part: string): readonly string[] {
  const words = commandWords(part).slice(1);
  const pattern = words.find((word) => !word.startsWith('-'));
  if (pattern === undefined) return [];
  return pattern
    .split(/\\?\|/)
    .map((word) =>
      word
        .replace(/[\^$()'"]/g, '')
        .replace(/\.\*.{0,400}$/, '')
        .replace(/[=*]{1,8}$/, ''),
    )
    .filter((word) => /^[\w./+-]{3,80}$/.test(word))
    .slice(0, 8);
}

/** True where a command printed nothing, or counted none. */
function nothing(block: Block, last: string): boolean {
  const output = filled(block.output);
  if (output.length === 0) return true;
  return (
    output.length === 1 && output[0]!.clean.trim() === '0' && /(?:^|\s)(?:-\w{0,6}c\w{0,6}|wc -l)(?:\s|$)/.test(last)
  );
}

export const lookedFor: Parser = {
  id: 'looked-for',
  literals: [],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const command = /\b(?:ba|da|z)?sh -l?c (['"])(.{1,1000})\1\s*$/.exec(block.command)?.[2] ?? block.command;
      const parts = pipeline(command);
      const last = parts.at(-1) ?? '';
      const counts = /^wc\b/.test(last) ? (parts.at(-2) ?? '') : last;
      wholeEnvironment(block, sink);
      emptyFiles(block, sink);
      // `ls /dev | grep -c nvidia`: how many nodes, without their names.
      const counted =
        /^ls\b.{0,20}\s\/dev\b.{0,30}\|\s{0,3}grep\b.{0,20}nvidia/.test(block.command) ||
        /^ls\s\/dev\/nvidia\S{0,12}.{0,30}\|\s{0,3}wc -l/.test(block.command);
      const number =
        filled(block.output).length === 1 ? /^\d{1,4}$/.exec(filled(block.output)[0]!.clean.trim())?.[0] : undefined;
      if (counted && number !== undefined)
        sink.add('devices.counted', Number(number), [filled(block.output)[0]!, block.prompt]);
      const policy = /^apt(?:-cache)? policy\b/.test(block.command) || (parts[0] ?? '').startsWith('apt-cache policy');
      if (policy) readPolicy(block, sink);
      const find = /^find\b.{0,200}?-i?name ['"]?([\w.*+-]{4,80})['"]?/.exec(block.command);
      if (find !== null && parts.length === 1 && filled(block.output).length === 0) {
        sink.add('file.absent', find[1]!.replaceAll('*', ''), block.prompt);
        continue;
      }
      if (!/^(?:e|f|z)?grep\b/.test(counts) || parts.length < 2) continue;
      const output = filled(block.output);
      if (nothing(block, `${last} ${counts}`)) {
        for (const word of grepped(counts)) record(command, word, [block.prompt, ...output], sink);
      } else if (
        counts === last &&
        !/\s-\w{0,6}[cvoq]/.test(counts) &&
        output.length > 0 &&
        !/head|tail|-m ?\d/.test(block.command)
      ) {
        // Of several words that were looked for, one is in no line.
        const words = grepped(counts);
        const text = output.map((line) => line.clean.toLowerCase()).join('\n');
        if (words.length > 1)
          for (const word of words)
            if (!text.includes(word.toLowerCase())) record(command, word, [block.prompt, ...output.slice(0, 2)], sink);
      }
    }
  },
};

/** A whole environment, printed where no variable of the container toolkit is set. */
function wholeEnvironment(block: Block, sink: FactSink): void {
  if (!/(?:^|\s|["'])(?:env|printenv)(?:\s{0,3}\|\s{0,3}sort)?["']?\s*$/.test(block.command)) return;
  const output = filled(block.output);
  if (output.length < 4 || !output.some((line) => line.clean.startsWith('PATH='))) return;
  for (const name of variablesOfToolkit) {
    if (!output.some((line) => line.clean.startsWith(`${name}=`))) sink.add('env', { name, value: '' }, block.prompt);
  }
}

/** `find / -name 'libcuda*' -size 0`: what it prints is empty. */
function emptyFiles(block: Block, sink: FactSink): void {
  if (!/\bfind\b.{0,300}\s(?:-size 0\w?|-empty)(?:\s|$|['"])/.test(block.command)) return;
  for (const line of filled(block.output)) {
    const path = /^(\/\S{1,400})$/.exec(line.clean.trim())?.[1];
    if (path !== undefined && /nvidia|cuda/.test(path)) sink.add('file.size', { path, bytes: 0 }, line);
  }
}

/** `apt-cache policy libnvidia-ml1`: `Installed: (none)`. */
function readPolicy(block: Block, sink: FactSink): void {
  let name: string | null = null;
  for (const line of filled(block.output)) {
    const heading = /^([a-z0-9][\w.+-]{1,80}):$/.exec(line.clean.trim());
    if (heading !== null) name = heading[1]!;
    else if (name !== null && line.clean.trim().startsWith('Installed: (none)')) sink.add('package.absent', name, line);
  }
}

function record(command: string, word: string, lines: readonly Line[], sink: FactSink): void {
  if (/\b(?:env|printenv|environ|inspect)\b/.test(command)) return;
  if (/^ls\s(?:-\w{1,6}\s)?\/dev\/?\s/.test(command)) {
    if (word.startsWith('nvidia')) sink.add('devices.listed', [], lines);
    return;
  }
  if (/^(?:sudo )?(?:ssh \S{1,80} )?lspci\b/.test(command)) {
    // lspci prints the maker in capitals.
    const seen = /^NVIDIA/.test(word) || word === '10de' || (/^nvidia$/i.test(word) && /\s-\w{0,6}i/.test(command));
    if (seen && !/\s-\w{0,6}[vkx]/.test(command.split('|')[0]!)) sink.add('pci.gpus-counted', 0, lines);
    return;
  }
  if (/\bldconfig\b/.test(command)) sink.add('loader.cache-absent', word, lines);
  else if (/\b(?:dpkg|rpm|apt|dnf|yum|pip3?|conda|mamba)\b/.test(command))
    sink.add('package.absent', word.toLowerCase(), lines);
  else if (/^(?:ls|find)\b/.test(command) && !/\/dev\b/.test(command)) sink.add('file.absent', word, lines);
  else if (/\b(?:mount|mountinfo)\b/.test(command)) sink.add('file.absent', word, lines);
}

const noSuchFile =
  /(?:cannot (?:access|stat|open) ['"\u2018]?|ls: |stat: |readlink: )(\/[^\s'"\u2019:]{1,400})['"\u2019]?: No such file or directory/;

export const missingFiles: Parser = {
  id: 'missing-files',
  literals: ['no such file or directory'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const match = noSuchFile.exec(line.clean);
      if (match !== null && !match[1]!.startsWith('/dev/')) sink.add('file.absent', match[1]!, line);
    }
  },
};

const longListing =
  /^\s{0,4}-[rwxsStT-]{9}[.+@]?\s{1,8}\d{1,4}\s{1,8}\S{1,40}\s{1,8}\S{1,40}\s{1,12}(\d{1,15})\s.{6,40}\s(\S{1,400})$/;

export const fileSizes: Parser = {
  id: 'file-sizes',
  literals: [
    '-rw-r--r--',
    '-rwxr-xr-x',
    '-r--r--r--',
    '-r-xr-xr-x',
    '-rw-rw-r--',
    'is empty, not checked',
    'file too short',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const text = line.clean.trimEnd();
      const empty =
        /\bFile (\/\S{1,400}) is empty, not checked/.exec(text) ??
        /(?:^|[\s'":(])((?:\/\S{1,400}\/)?lib(?:cuda|nv)[\w.-]{1,80}\.so[\w.]{0,30}): file too short/.exec(text);
      if (empty !== null) {
        sink.add('file.size', { path: empty[1]!, bytes: 0 }, line);
        continue;
      }
      const match = longListing.exec(text);
      if (match === null || !/nvidia|cuda|libnvc/i.test(match[2]!)) continue;
      const name = match[2]!;
      sink.add(
        'file.size',
        { path: name.startsWith('/') ? name : `${folderOf(line)}${name}`, bytes: Number(match[1]) },
        line,
      );
    }
  },
};

/** The folder of the command whose listing a line belongs to, with a slash; empty where it is not known. */
function folderOf(line: Line): string {
  const folder = /\bls\b.{0,60}? (\/[^\s*|;]{1,300})/.exec(line.command ?? '')?.[1];
  return folder === undefined ? '' : folder.endsWith('/') ? folder : `${folder}/`;
}
