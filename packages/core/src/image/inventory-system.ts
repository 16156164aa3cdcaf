// What the base of an image is, and how its loader searches.
import type { CacheEntry } from './ld-cache.ts';
import type { Entrypoint, Search } from './contents.ts';
import type { ImageConfig } from './model.ts';
import type { ImageTree } from './tree.ts';
import { ldCacheEntries } from './ld-cache.ts';

/** Name and release of the base (os-release(5)). */
export function osOf(tree: ImageTree): {
  readonly id: string | null;
  readonly version: string | null;
  readonly name: string | null;
} {
  const text = tree.file('/etc/os-release')?.text ?? tree.file('/usr/lib/os-release')?.text ?? null;
  if (text !== null) {
    const values = new Map<string, string>();
    for (const line of text.split('\n')) {
      const cut = line.indexOf('=');
      if (cut > 0 && !line.startsWith('#')) values.set(line.slice(0, cut).trim(), unquoted(line.slice(cut + 1).trim()));
    }
    return {
      id: values.get('ID') ?? 'linux',
      version: values.get('VERSION_ID') ?? null,
      name: values.get('PRETTY_NAME') ?? null,
    };
  }
  const debian = tree.file('/etc/debian_version')?.text?.trim();
  if (debian !== undefined) return { id: 'debian', version: debian.split('\n')[0] ?? null, name: null };
  const alpine = tree.file('/etc/alpine-release')?.text?.trim();
  if (alpine !== undefined) return { id: 'alpine', version: alpine.split('\n')[0] ?? null, name: null };
  return { id: null, version: null, name: null };
}

function unquoted(text: string): string {
  const first = text[0];
  return text.length > 1 && (first === '"' || first === "'") && text.endsWith(first) ? text.slice(1, -1) : text;
}

/** Word that Debian uses for the platform: `x86_64-linux-gnu`. */
export function multiarch(platform: string): string {
  if (platform.startsWith('linux/arm64')) return 'aarch64-linux-gnu';
  if (platform.startsWith('linux/ppc64le')) return 'powerpc64le-linux-gnu';
  return 'x86_64-linux-gnu';
}

/** Where legacy mode mounts the driver's libraries (libnvidia-container, nvc_container.c): by /etc/debian_version. */
export function driverFolderOf(tree: ImageTree, platform: string): string {
  const debian = tree.file('/etc/debian_version') !== null || osOf(tree).id === 'ubuntu';
  return debian ? `/usr/lib/${multiarch(platform)}` : '/usr/lib64';
}

/** A variable of the configuration; the last one of a name counts. */
export function variableOf(config: ImageConfig | null, name: string): string | undefined {
  return config?.env.findLast((each) => each.name === name)?.value;
}

/** How the loader of the image searches before anything is injected (ld.so(8), ldconfig(8)). */
export function searchOf(tree: ImageTree, config: ImageConfig | null, platform: string): Search {
  const arch = multiarch(platform);
  const musl = tree.file('/etc/alpine-release') !== null || osOf(tree).id === 'alpine';
  const configured = musl ? [] : configuredFolders(tree);
  const cacheFile = musl ? null : tree.file('/etc/ld.so.cache');
  const cache: readonly CacheEntry[] | null = cacheFile?.text == null ? null : ldCacheEntries(cacheFile.text);
  const debian = driverFolderOf(tree, platform).includes(arch);
  return {
    libraryPath: (variableOf(config, 'LD_LIBRARY_PATH') ?? '').split(':').filter((each) => each.startsWith('/')),
    configured,
    cache,
    hasCache: cacheFile !== null,
    defaults: musl
      ? ['/lib', '/usr/local/lib', '/usr/lib']
      : debian
        ? [`/lib/${arch}`, `/usr/lib/${arch}`, '/lib', '/usr/lib']
        : ['/lib64', '/usr/lib64', '/lib', '/usr/lib'],
    musl,
  };
}

const mostFolders = 400;

function configuredFolders(tree: ImageTree): Search['configured'] {
  const found: Search['configured'][number][] = [];
  const read = (path: string, depth: number): void => {
    const text = tree.file(path)?.text;
    if (text == null || depth > 4) return;
    text.split('\n').forEach((raw, at) => {
      if (found.length >= mostFolders) return;
      const line = (raw.split('#')[0] ?? '').trim();
      if (line === '') return;
      const words = line.split(/\s+/);
      if (words[0] === 'include') {
        for (const pattern of words.slice(1)) {
          const full = pattern.startsWith('/') ? pattern : `${path.slice(0, path.lastIndexOf('/'))}/${pattern}`;
          for (const each of matching(tree, full)) read(each, depth + 1);
        }
        return;
      }
      if (words[0] === 'hwcap') return;
      for (const word of words) {
        const folder = (word.split('=')[0] ?? word).replace(/(?<=.)\/$/, '');
        if (folder.startsWith('/'))
          found.push({ folder, file: path, line: at + 1, exists: tree.resolve(folder) !== null });
      }
    });
  };
  read('/etc/ld.so.conf', 0);
  return found;
}

/** Files that an `include` names: a path, or one `*` in its last part. */
function matching(tree: ImageTree, pattern: string): readonly string[] {
  const cut = pattern.lastIndexOf('/');
  const folder = pattern.slice(0, cut);
  const name = pattern.slice(cut + 1);
  const star = name.indexOf('*');
  if (star < 0) return [pattern];
  const [before, after] = [name.slice(0, star), name.slice(star + 1)];
  return tree
    .names(folder)
    .filter((each) => each.length >= before.length + after.length && each.startsWith(before) && each.endsWith(after))
    .map((each) => `${folder}/${each}`);
}

/** The entrypoint, and what in it switches forward compatibility on. */
export function entrypointOf(tree: ImageTree, config: ImageConfig | null): Entrypoint {
  const words = config?.entrypoint ?? [];
  const path = variableOf(config, 'PATH') ?? '/usr/local/bin:/usr/bin:/bin';
  for (const word of words.slice(0, 8)) {
    if (word.length > 1024 || word.startsWith('-')) continue;
    const name = word.slice(word.lastIndexOf('/') + 1);
    const places = word.startsWith('/') ? [word] : path.split(':').map((folder) => `${folder}/${word}`);
    const file = places.map((place) => tree.file(place)).find((each) => each !== null);
    const nvidia = name === 'nvidia_entrypoint.sh';
    if (file?.text != null) {
      const parts = [
        file.path,
        ...tree.names('/opt/nvidia/entrypoint.d').map((each) => `/opt/nvidia/entrypoint.d/${each}`),
      ];
      const shows = (nvidia ? parts : [file.path]).find((each) => speaksOfCompat(tree.file(each)?.text ?? ''));
      if (shows !== undefined) return { words, compat: nvidia ? 'nvidia-entrypoint' : 'script', file: shows };
      // The images of nvidia/cuda have a script of the same name that only prints a banner.
      if (nvidia && !file.text.includes('/etc/shinit') && !hasShellInit(tree)) continue;
    }
    if (nvidia) {
      const ngc = variableOf(config, '_CUDA_COMPAT_PATH') !== undefined || hasShellInit(tree);
      if (ngc) return { words, compat: 'nvidia-entrypoint', file: file?.path ?? word };
      return { words, compat: file === undefined ? null : 'unread', file: file?.path ?? null };
    }
  }
  return { words, compat: null, file: null };
}

/** NGC's start script, which tests and switches on forward compatibility, lies in the image. */
export function hasNgcScript(tree: ImageTree): boolean {
  const script = tree.file('/opt/nvidia/nvidia_entrypoint.sh') ?? tree.file('/usr/local/bin/nvidia_entrypoint.sh');
  if (script === null) return false;
  const parts = tree.names('/opt/nvidia/entrypoint.d').map((each) => tree.file(`/opt/nvidia/entrypoint.d/${each}`));
  return hasShellInit(tree) || [script, ...parts].some((each) => speaksOfCompat(each?.text ?? ''));
}

/** NGC sources /etc/shinit_v2 through BASH_ENV and ENV: it does the same as its entrypoint. */
function hasShellInit(tree: ImageTree): boolean {
  return tree.file('/etc/shinit_v2') !== null;
}

function speaksOfCompat(text: string): boolean {
  return (
    text.includes('_CUDA_COMPAT') || text.includes('compat/lib') || /\/usr\/local\/cuda[^\s:"]{0,40}\/compat/.test(text)
  );
}
