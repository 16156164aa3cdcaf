// Which file the loader takes for a library.
//
// $ ldconfig -p
// 812 libs found in cache `/etc/ld.so.cache'
//         libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1
// $ ldd ./app
//         libcudart.so.12 => /usr/local/cuda/lib64/libcudart.so.12 (0x00007f4e6e200000)
//         libcuda.so.1 => not found
// $ LD_DEBUG=libs ./app
//   file=libnvJitLink.so.12 [0];  needed by /env/lib/libcusparse.so.12 [0]
//   trying file=/opt/cuda/12.4/lib64/libnvJitLink.so.12
//   file=libnvJitLink.so.12 [0];  generating link map
import type { Line } from '../model/document.ts';
import type { LibraryPath } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { cudaMinor, fullDriverRelease } from './releases.ts';

const arrow =
  /^\s{0,16}([\w.+-]{3,120}\.so(?:\.[\w.]{1,30})?) (?:\(([^)]{1,120})\) )?=> (\/\S{1,1000}|not found)(?: \((0x[0-9a-f]{6,18})\))?$/;

/** A library of the GPU stack; the others are not worth a fact. */
const gpuLibrary =
  /^lib(?:cuda|cudart|cudnn|nccl|nv|cublas|cufft|curand|cusolver|cusparse|cupti|nvidia|torch|c10|EGL_nvidia|GLX_nvidia|tensorflow|mpi|stdc\+\+|c\.so|nvinfer|cutensor|gomp|xla)/;

/** Version at the end of a file name: `libcuda.so.570.124.06` gives `570.124.06`; `libcudart.so.12` none. */
export function fileVersion(path: string): string | undefined {
  const at = path.lastIndexOf('.so.');
  const tail = at < 0 ? '' : path.slice(at + 4);
  return /^\d{1,4}(?:\.\d{1,8}){1,3}$/.test(tail) ? tail : undefined;
}

/** A library and its file as facts carry them. */
export function libraryPath(soname: string, path: string | null): LibraryPath {
  const version = path === null ? undefined : fileVersion(path);
  return version === undefined ? { soname, path } : { soname, path, version };
}

export const ldd: Parser = {
  id: 'ldd',
  literals: ['.so', '=> not found'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    let place = 0;
    for (const line of hits) {
      if (line.prompt || !line.clean.includes('=>')) continue;
      const match = arrow.exec(line.clean.trimEnd());
      if (match === null) continue;
      const [, soname, abi, target] = match as unknown as [string, string, string | undefined, string];
      if (!gpuLibrary.test(soname) && target !== 'not found') continue;
      if (abi === undefined) {
        sink.add('loader.resolved', libraryPath(soname, target === 'not found' ? null : target), line);
      } else if (abi.startsWith('libc6') || abi.startsWith('ELF')) {
        // 32-bit entries never serve a 64-bit program.
        const wide = abi.includes('x86-64') || abi.includes('AArch64') || abi.includes('64bit');
        if (wide && place++ < 300) sink.add('loader.cache', libraryPath(soname, target), line);
      }
    }
  },
};

export const ldDebug: Parser = {
  id: 'ld-debug',
  literals: ['trying file=', 'generating link map', 'calling init:'],
  keep: { before: 4, after: 2 },
  parse(document, hits, sink) {
    let tried: { readonly path: string; readonly line: Line } | null = null;
    const taken = new Set<string>();
    for (const line of hits) {
      const text = line.clean;
      const trying = /trying file=(\/\S{1,1000})/.exec(text);
      if (trying !== null) {
        tried = { path: trying[1]!, line };
        continue;
      }
      const init = /calling init: (\/\S{1,1000})/.exec(text);
      const soname = /file=(\S{3,200}) \[\d{1,6}\]; {1,4}generating link map/.exec(text)?.[1];
      const path =
        init?.[1] ??
        (soname !== undefined && tried !== null && tried.path.endsWith(`/${soname}`) ? tried.path : undefined);
      const name = path === undefined ? undefined : path.slice(path.lastIndexOf('/') + 1);
      if (path === undefined || name === undefined || !gpuLibrary.test(name) || taken.has(path)) continue;
      taken.add(path);
      const lines = init === null && tried !== null ? [tried.line, line] : [line];
      sink.add('loader.resolved', libraryPath(soname ?? name, path), lines);
      addDriverLibrary(path, lines, sink);
    }
    void document;
  },
};

/** A libcuda or libnvidia-ml whose file name carries a driver release, outside compat and stub folders. */
export function addDriverLibrary(path: string, lines: Line | readonly Line[], sink: FactSink): void {
  const match = /\/lib(?:cuda|nvidia-ml)\.so\.(\d{3}\.[\d.]{1,12})$/.exec(path);
  const release = fullDriverRelease(match?.[1]);
  if (release !== null && !/\/(?:compat|stubs)(?:\.\w{1,10})?\//.test(path)) sink.add('driver.library', release, lines);
}

// $ cat /proc/4711/maps
// 7f21a4000000-7f21a4181000 r--p 00000000 103:02 7341288   /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05
const mapLine =
  /^[0-9a-f]{6,16}-[0-9a-f]{6,16} [r-][w-][x-][ps] [0-9a-f]{1,16} ([0-9a-f]{2,4}):([0-9a-f]{2,6}) \d{1,20} {1,60}(\/\S{1,1000})/;

export const processMaps: Parser = {
  id: 'proc-maps',
  literals: ['r--p 0', 'r-xp 0', 'rw-s 0'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    const taken = new Set<string>();
    const driver: { readonly path: string; readonly line: Line; readonly noDevice: boolean }[] = [];
    const kinds = new Set<boolean>();
    for (const line of hits) {
      const match = mapLine.exec(line.clean);
      const path = match?.[3];
      if (match === null || path === undefined || taken.has(path)) continue;
      taken.add(path);
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (!gpuLibrary.test(name)) continue;
      sink.add('loader.resolved', libraryPath(sonameOf(name), path), line);
      addDriverLibrary(path, line, sink);
      const noDevice = Number.parseInt(match[1]!, 16) === 0;
      kinds.add(noDevice);
      if (/^lib(?:cuda|nvidia-ml)\.so/.test(name)) driver.push({ path, line, noDevice });
    }
    // Major 0 is a file system without a device, an overlay as a rule. Where both kinds are mapped, those files are the
    // image's own and the others were put in from the host.
    if (kinds.size < 2) return;
    for (const { path, line, noDevice } of driver) {
      sink.add('container.mount', { path, from: noDevice ? 'image' : 'host' }, line);
    }
  },
};

/** `libcuda.so.580.95.05` is loaded as `libcuda.so.1`; other names lose all but the first number. */
function sonameOf(name: string): string {
  const at = name.indexOf('.so.');
  if (at < 0) return name;
  if (/^lib(?:cuda|nvidia-ml)\.so\.\d{3}\./.test(name)) return `${name.slice(0, at)}.so.1`;
  return `${name.slice(0, at)}.so.${name.slice(at + 4).split('.')[0]}`;
}

// python -c "import ctypes; ctypes.CDLL('libcuda.so')"
// AttributeError: /opt/cuda-12.1/lib64/stubs/libcuda.so: undefined symbol: x
// ImportError: /srv/.venv/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12
export const loaderErrors: Parser = {
  id: 'loader-error',
  literals: ['undefined symbol', 'cannot open shared object file'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const object = /(?:^|[\s'"(])(\/\S{1,600}\/([\w.+-]{3,120}\.so(?:\.[\w.]{1,30})?)): undefined symbol/.exec(
        line.clean,
      );
      if (object !== null) {
        sink.add('loader.resolved', libraryPath(object[2]!, object[1]!), line);
        continue;
      }
      const missing = /(?:^|[\s'"(:])([\w.+-]{3,120}\.so(?:\.[\w.]{1,30})?): cannot open shared object file/.exec(
        line.clean,
      );
      if (missing !== null) sink.add('loader.resolved', libraryPath(missing[1]!, null), line);
    }
  },
};

/** A cuDNN library whose file name carries its release. */
function addCudnnFile(path: string, line: Line, sink: FactSink): void {
  const match = /\/(libcudnn(?:_\w{1,30})?\.so)\.(\d{1,2}\.\d{1,2}\.\d{1,3})$/.exec(path);
  if (match !== null)
    sink.add('cudnn.file', { soname: `${match[1]!}.${match[2]!.split('.')[0]!}`, path, version: match[2]! }, line);
}

// $ ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.1
// lrwxrwxrwx 1 root root 20 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06
// $ find / -name 'libcudart.so.11.0' 2>/dev/null
// /usr/local/cuda-11.1/targets/x86_64-linux/lib/libcudart.so.11.0
const listing = /^(?:ls|ll|find|locate|mlocate|plocate|readlink|realpath|stat|which|whereis|file|du|tree)\b/;
const pathToken = /^(\/[^\s'"]{1,1000}?):?$/;

export const fileListings: Parser = {
  id: 'files',
  literals: [],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (/\|\s{0,4}(?:wc|md5sum|xargs)\b/.test(block.command)) continue;
      const program =
        /(?:^|[;&|(]| -\w{0,3}c ['"]|\b(?:exec|run) .{1,200}? |-- )\s{0,3}(?:sudo )?((?:ls|ll|find|locate|plocate|readlink|realpath)\b[^;&|]{0,600})/.exec(
          block.command,
        );
      if (program === null || !listing.test(program[1]!)) continue;
      readListing(program[1]!, filled(block.output), block.prompt, sink);
    }
  },
};

function readListing(command: string, output: readonly Line[], prompt: Line, sink: FactSink): void {
  const args = command
    .split(/\s+/)
    .slice(1)
    .filter((word) => !word.startsWith('-') && !/^\d?>/.test(word));
  const target = args[0] ?? '';
  const devices: string[] = [];
  const deviceLines: Line[] = [];
  const wantsDevices = args.some((word) => word.startsWith('/dev/nvidia') || word === '/dev/' || word === '/dev');
  let folder = /^\/[^*?[]{1,400}$/.test(target)
    ? target.replace(/\/$/, '')
    : target.startsWith('/')
      ? target.slice(0, target.lastIndexOf('/'))
      : '';
  let missing: Line | null = null;
  for (const line of output) {
    const text = line.clean.trim();
    if (/No such file or directory|cannot access/.test(text)) {
      if (text.includes('/dev/nvidia')) missing = line;
      continue;
    }
    if (/^\/\S{1,400}:$/.test(text) && !text.includes(' ')) {
      folder = text.slice(0, -1);
      continue;
    }
    const found = namesOf(text);
    // A line with a word that is no file name is output of something else.
    if (found.some((name) => !/^[\w.+@:/~,=*-]{1,1000}$/.test(name.path))) continue;
    for (const name of found) {
      const path =
        pathToken.exec(name.path)?.[1] ??
        // `find .` names its finds from where it was started.
        (/^find (?:\.|[\w.-]{1,80}\/)/.test(command)
          ? /^(\.{1,2}\/[^\s'"]{1,1000})$/.exec(name.path)?.[1]
          : undefined) ??
        (folder !== '' && /^[\w.+@-]{1,200}$/.test(name.path) ? `${folder}/${name.path}` : null);
      if (path === null) continue;
      if (path.startsWith('/dev/')) {
        if (path.startsWith('/dev/nvidia')) {
          devices.push(path);
          if (deviceLines[deviceLines.length - 1] !== line) deviceLines.push(line);
        }
        continue;
      }
      // `ls FILE` prints the file's own path.
      if (command.startsWith('ls') && folder === path && !/\.so(?:\.|$)|\/nvidia-[\w-]{1,40}$/.test(path)) continue;
      sink.add('file.exists', path, line);
      addCudnnFile(path, line, sink);
      const toolkit = cudaMinor(/^\/(?:usr\/local|opt)\/cuda-(\d{1,2}\.\d{1,2})$/.exec(path)?.[1]);
      if (toolkit !== null) sink.add('toolkit.installed', toolkit, line);
      if (name.link !== null) {
        const linked = name.link.startsWith('/') ? name.link : `${path.slice(0, path.lastIndexOf('/'))}/${name.link}`;
        sink.add('file.link', { path, target: linked }, line);
        addCudnnFile(linked, line, sink);
        if (path.endsWith('.so.1')) addDriverLibrary(linked, line, sink);
      } else if (/^(?:readlink|realpath)\b/.test(command)) addDriverLibrary(path, line, sink);
    }
  }
  if (!wantsDevices) return;
  if (devices.length > 0) sink.add('devices.listed', devices, deviceLines);
  else if (missing !== null) sink.add('devices.listed', [], missing);
  else if (output.length === 0 && /\|\s{0,3}grep/.test(prompt.command ?? '')) sink.add('devices.listed', [], prompt);
}

/** Names of one output line: the last field of a long line with what a link points to, else every word. */
function namesOf(text: string): readonly { readonly path: string; readonly link: string | null }[] {
  if (/^total \d/.test(text)) return [];
  if (/^[bcdlsp-][r-][w-][xsStT-]/.test(text)) {
    const arrowAt = text.indexOf(' -> ');
    const left = arrowAt < 0 ? text : text.slice(0, arrowAt);
    return [{ path: left.slice(left.lastIndexOf(' ') + 1), link: arrowAt < 0 ? null : text.slice(arrowAt + 4).trim() }];
  }
  return text
    .split(/\s+/)
    .slice(0, 200)
    .map((path) => ({ path, link: null }));
}
