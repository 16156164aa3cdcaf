// What an installation replaced, and whose loader and board it is.
//
//   Found existing installation: torch 2.1.0+cu118
//     Successfully uninstalled torch-2.1.0+cu118
// Successfully installed torch-2.1.0 triton-2.1.0
//   pytorch    2.1.0-py3.10_cuda11.8_cudnn8.7.0_0 --> 2.1.0-cpu_generic_py310
//  - torch==2.9.1+cu128
//  + torch==2.9.1
// # R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref
// [Requesting program interpreter: /nix/store/…-glibc-2.39/lib/ld-linux-x86-64.so.2]
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';

const removed =
  /(?:Found existing installation: |Successfully uninstalled |Uninstalling )([A-Za-z][\w.]{1,60}(?:-[A-Za-z][\w.]{0,40}){0,4})[ -](\d[\w.+!]{0,60}?)(?::|\s|$)/;
const removedLine = /^\s{0,4}-\s{1,2}([A-Za-z][\w.-]{1,60})==(\d[\w.+!-]{0,60})\s*$/;
const addedLine = /^\s{0,4}\+\s{1,2}([A-Za-z][\w.-]{1,60})==(\d[\w.+!-]{0,60})\s*$/;
const condaChange =
  /^\s{0,8}([a-z][\w.-]{1,60})\s{1,80}(\d[^\s]{1,120}?)(?:\s{1,4}\[?\S{0,60}\]?)?\s{1,40}-->\s{1,8}(\d[^\s]{1,120})/;

function name(text: string): string {
  return text.toLowerCase().replaceAll('_', '-');
}

export const replacedPackages: Parser = {
  id: 'package-changes',
  literals: [
    'found existing installation',
    'uninstall',
    'successfully installed',
    ' --> ',
    '- torch==',
    '+ torch==',
    'installing collected',
  ],
  parse(_document, hits, sink) {
    const gone = new Map<string, { version: string; line: Line }>();
    const note = (which: string, version: string, line: Line): void => {
      gone.set(name(which), { version, line });
    };
    const came = (which: string, version: string, line: Line): void => {
      const before = gone.get(name(which));
      if (before === undefined || before.version === version) return;
      sink.add('package.replaced', { name: name(which), from: before.version, to: version }, [before.line, line]);
    };
    for (const line of hits) {
      if (line.prompt) continue;
      const text = line.clean;
      const out = removed.exec(text) ?? removedLine.exec(text);
      if (out !== null) note(out[1]!, out[2]!, line);
      const added = addedLine.exec(text);
      if (added !== null) came(added[1]!, added[2]!, line);
      const installed = /Successfully installed (\S.{0,4000})/.exec(text);
      if (installed !== null) {
        for (const each of installed[1]!.split(' ')) {
          const match = /^([A-Za-z][\w.]{0,60}(?:-[A-Za-z][\w.]{0,40}){0,6})-(\d[\w.+!]{0,60})$/.exec(each);
          if (match !== null) came(match[1]!, match[2]!, line);
        }
      }
      const change = condaChange.exec(text);
      if (change !== null)
        sink.add('package.replaced', { name: name(change[1]!), from: change[2]!, to: change[3]! }, line);
    }
  },
};

export const jetsonRelease: Parser = {
  id: 'nv-tegra-release',
  literals: ['(release), revision:', 'nvidia-l4t-core', 'jetpack', 'l4t ', 'l4t-'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const tegra = /\bR(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)/.exec(line.clean);
      const package_ = /\bnvidia-l4t-core(?:\/\S{1,40})?\s{1,60}(\d{2}\.\d{1,2}(?:\.\d{1,2})?)/.exec(line.clean);
      const loose =
        /\bL4T[ :-]{1,3}R?(\d{2}\.\d{1,2}(?:\.\d{1,2})?)/i.exec(line.clean) ??
        /\bL4T_VERSION ?[=:] ?R?(\d{2}\.\d{1,2}(?:\.\d{1,2})?)/.exec(line.clean);
      const release = tegra !== null ? `${tegra[1]!}.${tegra[2]!}` : (package_?.[1] ?? loose?.[1]);
      if (release !== undefined) {
        // The release file starts with a hash and is printed all the same.
        const printed = tegra !== null;
        sink.add('os.l4t', release, line, printed ? { told: false } : undefined);
        sink.add('os.platform', 'jetson', line, printed ? { told: false } : undefined);
        continue;
      }
      const jetpack = /\bJetPack[ :=v]{1,4}(\d(?:\.\d{1,2}){0,2})\b/i.exec(line.clean);
      const major =
        jetpack === null ? undefined : { 4: '32', 5: '35', 6: '36', 7: '38' }[Number(jetpack[1]!.charAt(0))];
      if (
        major !== undefined &&
        /\binstalled\b|^\s{0,4}#|\bnvidia-jetpack\b|^\s{0,8}(?:-\s)?JetPack\b/i.test(line.clean)
      ) {
        sink.add('os.l4t', major, line);
        sink.add('os.platform', 'jetson', line);
      }
    }
  },
};

const ownLoader =
  /(\/(?:nix\/store|gnu\/store|cvmfs|home\/linuxbrew)\/[^\s'":()]{1,300}|\/\S{0,120}\/(?:gentoo|prefix|compat\/linux)\/[^\s'":()]{1,200})/;

/** The software stack that a command enters. */
function stackOf(command: string): string | null {
  if (/\bnix (?:develop|shell|run)\b|\bnix-shell\b/.test(command)) return '/nix/store';
  if (/\bguix shell\b/.test(command)) return '/gnu/store';
  return /\bstartprefix\b|\beessi/i.test(command) ? '/cvmfs/software.eessi.io' : null;
}

export const ownLoaders: Parser = {
  id: 'program-loader',
  literals: [
    '/nix/store/',
    'nix develop',
    'nix shell',
    'nix run',
    'nix-shell',
    'guix shell',
    'startprefix',
    'eessi',
    '/gnu/store/',
    '/cvmfs/',
    '/home/linuxbrew/',
    '/gentoo/',
    'program interpreter',
    'compat/linux',
    'ld-linux',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) {
        const stack = stackOf(line.command ?? '');
        if (stack !== null) sink.add('loader.interpreter', stack, line);
      }
      const interpreter =
        /(?:program interpreter: |\binterpreter )(\/[^\s\],]{1,300})/.exec(line.clean) ??
        /^\s{0,12}(\/\S{1,300}\/ld-linux[\w-]{0,20}\.so\.\d)(?: => \S{1,300})? \(0x/.exec(line.clean);
      if (interpreter !== null) {
        sink.add('loader.interpreter', interpreter[1]!, line);
        continue;
      }
      const own = ownLoader.exec(line.clean);
      if (own !== null) sink.add('loader.interpreter', own[1]!, line);
    }
  },
};
