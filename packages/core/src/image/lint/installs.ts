// What commands of a build install: packages of the system, of Python and of conda.
import type { Command, ShellWord } from './shell.ts';
import { bareCommand } from './shell.ts';

export interface Install {
  readonly manager: 'apt' | 'rpm' | 'apk' | 'pip' | 'conda';
  readonly packages: readonly ShellWord[];
  /** Values of `--index-url`, `--extra-index-url`, `-f`; `-c` of conda. */
  readonly sources: readonly { readonly text: string; readonly word: ShellWord; readonly extra: boolean }[];
  readonly conditional: boolean;
  readonly command: Command;
}

const valued = new Set([
  '-t',
  '--target-release',
  '-o',
  '--option',
  '-c',
  '--config-file',
  '-r',
  '--requirement',
  '--constraint',
  '-e',
  '--editable',
  '-i',
  '--index-url',
  '--extra-index-url',
  '-f',
  '--find-links',
  '--prefix',
  '-p',
  '--python',
  '--target',
  '--root',
  '--index',
  '--default-index',
  '-n',
  '--name',
  '--channel',
  '--timeout',
  '--retries',
  '--platform',
  '--index-strategy',
  '--no-binary',
  '--only-binary',
  '--override',
  '--cache-dir',
  '--torch-backend',
  '--enablerepo',
  '--disablerepo',
  '--repo',
  '--repository',
]);
const indexes = new Set(['-i', '--index-url', '--default-index', '--index']);
const extras = new Set(['--extra-index-url', '-f', '--find-links']);

/** The install that a command is; null where it is none. */
export function installOf(command: Command): Install | null {
  const words = bareCommand(command);
  const at = words.findIndex(
    (word, place) => place < 8 && /^(?:install|add|localinstall|groupinstall|reinstall)$/.test(word.text),
  );
  if (at < 1) return null;
  const head = words.slice(0, at).map((word) => word.text);
  const manager = managerOf(head);
  if (manager === null) return null;
  const packages: ShellWord[] = [];
  const sources: { text: string; word: ShellWord; extra: boolean }[] = [];
  for (let place = at + 1; place < words.length; place++) {
    const word = words[place]!;
    if (word.text === '>' || word.text === '>>') break;
    const equals = word.text.startsWith('-') ? word.text.indexOf('=') : -1;
    const option = equals > 0 ? word.text.slice(0, equals) : word.text;
    const takes =
      manager === 'pip' || manager === 'conda' || option === '-t' || option === '-o' || option.startsWith('--');
    if (word.text.startsWith('-')) {
      const separate = equals < 0 && valued.has(option) && takes;
      const value = equals > 0 ? word.text.slice(equals + 1) : separate ? (words[place + 1]?.text ?? '') : '';
      const isSource =
        indexes.has(option) ||
        extras.has(option) ||
        (manager === 'conda' && (option === '-c' || option === '--channel'));
      if (isSource && manager !== 'apt') sources.push({ text: value, word, extra: extras.has(option) });
      if (separate) place++;
      continue;
    }
    packages.push(word);
  }
  return { manager, packages, sources, conditional: command.conditional, command };
}

/** Names and patterns of packages that a command takes away again; null where it is no such command. */
export function removalOf(command: Command): readonly string[] | null {
  const words = bareCommand(command).map((word) => word.text);
  const at = words.findIndex(
    (word, place) => place < 8 && /^(?:remove|purge|autoremove|erase|uninstall|del)$/.test(word),
  );
  const manager = at < 1 ? null : managerOf(words.slice(0, at));
  if (manager === null && !(words[0] === 'dpkg' && words.some((word) => /^(?:-r|-P|--remove|--purge)$/.test(word))))
    return null;
  return words.slice(at < 1 ? 1 : at + 1).filter((word) => !word.startsWith('-'));
}

/** Does a pattern of a shell or of apt (`libnvidia-*`, `nvidia.*`) name this? */
export function namedBy(pattern: string, name: string): boolean {
  const bare = pattern
    .replace(/[=:].*$/, '')
    .replaceAll('.*', '*')
    .replace(/^\^/, '')
    .replace(/[$+-]$/, '');
  const [head = '', ...rest] = bare.split('*');
  if (rest.length === 0) return head === name;
  if (!name.startsWith(head)) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return bare.endsWith('*') || name.endsWith(rest.at(-1) ?? '');
}

function managerOf(head: readonly string[]): Install['manager'] | null {
  const first = head[0]!.slice(head[0]!.lastIndexOf('/') + 1);
  if (['apt-get', 'apt', 'aptitude', 'apt-fast'].includes(first)) return 'apt';
  if (['dnf', 'yum', 'microdnf', 'tdnf', 'zypper'].includes(first)) return 'rpm';
  if (first === 'apk') return 'apk';
  if (['conda', 'mamba', 'micromamba'].includes(first)) return 'conda';
  if (/^pip(?:3(?:\.\d{1,2})?)?$/.test(first)) return 'pip';
  if (first === 'uv' && (head.includes('pip') || head.includes('add'))) return 'pip';
  const isPython =
    /^(?:python(?:3(?:\.\d{1,2})?)?|pypy3?)$/.test(first) && (head.includes('pip') || head.includes('-mpip'));
  return isPython ? 'pip' : null;
}

/** Name without version, architecture and extras: `libcuda1` of `libcuda1=535.1-1`, `torch` of `torch[x]==2.7`. */
export function bareName(text: string): string {
  return text
    .toLowerCase()
    .split(/[=<>!~:[@;]/)[0]!
    .replaceAll('_', '-');
}

/** Packages that bring a driver, or the library that must be the host's. */
export function isDriverPackage(manager: Install['manager'], name: string): boolean {
  if (manager === 'apt')
    return (
      /^(?:libcuda1(?:-\d{3})?|libnvidia-ml1|nvidia-smi|nvidia-alternative|nvidia-driver(?:-.{1,40})?|nvidia-headless-.{1,40}|nvidia-kernel-.{1,40}|nvidia-dkms-.{1,40}|nvidia-open(?:-.{1,20})?|nvidia-utils-\d.{0,20}|nvidia-compute-utils-.{1,20}|nvidia-\d{3}(?:-.{1,20})?|cuda-drivers(?:-.{1,30})?|libnvidia-(?:compute|gl|decode|encode|cfg1|extra|fbc1|ifr1|common|ptxjitcompiler1|nvcuvid1|glcore|eglcore)(?:-.{1,20})?|nvidia-persistenced|nvidia-modprobe|nvidia-kernel-dkms)$/.test(
        name,
      ) && !/^nvidia-driver-(?:assistant)/.test(name)
    );
  if (manager === 'rpm')
    return /^(?:(?:kmod|akmod|dkms)-nvidia.{0,40}|nvidia-driver(?:-.{1,40})?|nvidia-open(?:-.{1,40})?|cuda-drivers(?:-.{1,30})?|xorg-x11-drv-nvidia.{0,40}|nvidia-(?:compute|gl|computeG\d\d|glG\d\d).{0,40}|nvidia-kmod.{0,30}|nvidia-persistenced|nvidia-modprobe)$/i.test(
      name,
    );
  return false;
}

/** Kernel modules alone: out of place in an image, yet nothing that a program loads. */
export function isModulePackage(name: string): boolean {
  return /^(?:nvidia-(?:dkms|kernel)-|(?:kmod|akmod|dkms)-nvidia|nvidia-kmod|nvidia-modprobe$|nvidia-persistenced$)/.test(
    name,
  );
}

/** Meta packages that pull a driver in beside the toolkit. */
export function pullsDriver(name: string): boolean {
  return /^(?:cuda|cuda-\d{1,2}-\d{1,2}|cuda-runtime-\d{1,2}-\d{1,2}|cuda-demo-suite-\d{1,2}-\d{1,2})$/.test(name);
}

/** CUDA major that a system package is for: `cuda-toolkit-12-6`, `libcudnn8=8.9.7.29-1+cuda11.8`, `libcudnn9-cuda-12`. */
export function majorOfSystemPackage(text: string): number | null {
  const name = text.toLowerCase();
  const build = /\+cuda(\d{1,2})/.exec(name) ?? /-cuda-(\d{2})(?:-|=|$)/.exec(name);
  if (build !== null) return Number(build[1]);
  const own =
    /^(?:cuda|lib(?:cublas|cufft|curand|cusolver|cusparse|npp|nvjpeg|nvjitlink))[a-z-]{0,40}-(\d{2})-\d{1,2}(?:=|$)/.exec(
      name,
    );
  return own === null ? null : Number(own[1]);
}

/** CUDA major of a Python package or index: `cupy-cuda11x`, `torch==2.1.0+cu118`, `…/whl/cu118`, `jax[cuda12]`. */
export function majorOfPython(text: string): { readonly major: number; readonly text: string } | null {
  const match = /(?:\+|\/whl\/(?:nightly\/|test\/)?|-|\[)(cu(?:da)?)(\d{2,3})(?:x|\b|_|-|\]|\/)/.exec(
    text.toLowerCase(),
  );
  if (match === null) return null;
  const digits = match[2]!;
  const major = Number(digits.slice(0, 2));
  return major >= 9 && major <= 19 ? { major, text: `${match[1]!}${digits}` } : null;
}

/** A build without CUDA: index `whl/cpu`, `+cpu`, `tensorflow-cpu`, conda's `cpuonly`. */
export function isCpuBuild(text: string): boolean {
  return /\+cpu\b|^tensorflow-cpu\b|^cpuonly$/.test(text.toLowerCase());
}
