// A plain root file system: a folder, a mounted image, the root of a running container (`/proc/PID/root`). Nothing outside
// of it is read: every folder is opened below the one above it, and no link is followed.
import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { interestOf } from '@culprit/core/image/interest';
import type { ImageConfig, LayerScan, ScannedImage } from '@culprit/core/image/model';
import { ImageError } from './errors.ts';
import { fileError } from './file-bytes.ts';
import { LayerCollector } from './layer-collector.ts';
import type { ImageOptions } from './options.ts';
import { ownPlatform, parsePlatform, platformText } from './platform.ts';
import { otherPlatform } from './manifest.ts';

/** Bounds of a walk; what is beyond is said. */
const mostEntries = 5_000_000;
const deepest = 64;
const usualLimitMs = 30 * 60_000;
const chunkLength = 256 * 1024;
const mostFile = 64 * 1024 ** 3;

/** Folders of the kernel: no part of any image. */
const kernelFolders: ReadonlySet<string> = new Set(['/proc', '/sys', '/dev']);
/** A root file system has one of them. */
const usualFolders: ReadonlySet<string> = new Set(['etc', 'usr', 'bin', 'lib', 'lib64', 'opt']);
/** Other file systems that are mounted there hold libraries; all others hold data. */
const libraryFolders = /^\/(?:usr|lib|lib32|lib64|opt|etc|bin|sbin|root|home|workspace|app|venv|var)(?:\/|$)/;

/**
 * Reads a root file system as one layer.
 * @param root folder; only this name itself may be a link
 * @throws ImageError where it cannot be read
 */
export async function scanRootfs(root: string, reference: string, options: ImageOptions): Promise<ScannedImage> {
  const walk = new Walk(root, options);
  const layer = options.quick === true ? null : await walk.all(reference);
  const top = options.pid === undefined ? await readdir(root).catch(() => null) : null;
  if (top?.length === 0)
    throw new ImageError(
      'no-image',
      `${root}: the folder is empty`,
      'name the folder that holds etc, usr and the rest',
    );
  const platform = layer === null ? null : walk.platform;
  const wanted = options.platform === undefined ? null : parsePlatform(options.platform);
  const known = platform ?? platformText(wanted ?? ownPlatform());
  const left = [
    ...otherPlatform(known, wanted),
    ...(platform === null ? ['nothing tells for which platform it is; taken as that of this machine'] : []),
    ...(top === null || top.some((name) => usualFolders.has(name))
      ? []
      : [`neither etc nor usr nor bin is in ${root}: is it a root file system?`]),
    ...(layer === null ? ['the files were not read: only the configuration was asked for'] : []),
  ];
  return {
    reference,
    digest: null,
    platform: known,
    config: options.pid === undefined ? null : await processConfig(options.pid),
    layers: layer === null ? [] : [layer],
    quick: options.quick === true,
    left,
  };
}

/** A folder that is open; what is in it is reached through it, so that nobody can put a link in its place. */
interface Folder {
  /** Path under which its entries are opened. */
  readonly via: string;
  readonly path: string;
  readonly handle: FileHandle | null;
}

class Walk {
  private readonly root: string;
  private readonly options: ImageOptions;
  private readonly collector: LayerCollector;
  private readonly until: number;
  private device = 0;
  private entries = 0;
  private bytes = 0;
  private machine: string | null = null;
  private readonly buffer = Buffer.allocUnsafeSlow(chunkLength);
  private stopped: string | null = null;
  /** What a runtime put into a running container: the host's driver, volumes. */
  private mounts: ReadonlySet<string> = new Set();

  constructor(root: string, options: ImageOptions) {
    this.root = root;
    this.options = options;
    this.collector = new LayerCollector(options.deep === true, false);
    this.until = Date.now() + (options.limitMs ?? usualLimitMs);
  }

  /** As the first program or library that was read says; null where none was. */
  get platform(): string | null {
    return this.machine === null ? null : `linux/${this.machine}`;
  }

  async all(reference: string): Promise<LayerScan> {
    let top: Folder;
    try {
      const handle = await open(this.root, constants.O_RDONLY | constants.O_DIRECTORY);
      this.device = (await handle.stat()).dev;
      top = await this.folderOf(handle, this.root, '');
    } catch (error) {
      throw fileError(error, this.root);
    }
    this.mounts = await mountPointsOf(this.options.pid ?? /^\/proc\/(\d{1,10})\/root\/?$/.exec(this.root)?.[1]);
    await this.folder(top, 0);
    const { left, ...found } = await this.collector.result();
    const all = this.stopped === null ? left : [`read up to here: ${this.stopped}`, ...left];
    return {
      digest: null,
      diffId: null,
      bytes: this.bytes,
      unpackedBytes: this.bytes,
      ...found,
      left: all.map((each) => `${reference}: ${each}`),
    };
  }

  /** Below `/proc/self/fd/N` the kernel looks in the folder that was opened, whatever lies at its path by now. */
  private async folderOf(handle: FileHandle, plain: string, path: string): Promise<Folder> {
    const via = `/proc/self/fd/${handle.fd}`;
    const there = await lstat(via).catch(() => null);
    return there === null ? { via: plain, path, handle } : { via, path, handle };
  }

  private async folder(at: Folder, depth: number): Promise<void> {
    let names: Dirent[];
    try {
      names = await readdir(at.via, { withFileTypes: true });
    } catch (error) {
      this.collector.pass(`folders that could not be read, ${codeOf(error)}`, at.path === '' ? '/' : at.path);
      await at.handle?.close();
      return;
    }
    names.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of names) {
      if (this.over()) break;
      await this.entry(at, entry, depth);
    }
    await at.handle?.close();
  }

  private over(): boolean {
    if (this.stopped !== null) return true;
    if (this.options.signal?.aborted === true) this.stopped = 'it was stopped';
    else if (this.entries >= mostEntries) this.stopped = `more than ${mostEntries} files`;
    else if ((this.entries & 255) === 0 && Date.now() > this.until) this.stopped = 'the time limit was reached';
    return this.stopped !== null;
  }

  private async entry(at: Folder, entry: Dirent, depth: number): Promise<void> {
    this.entries++;
    const path = `${at.path}/${entry.name}`;
    const place = join(at.via, entry.name);
    if (this.mounts.has(path)) {
      this.collector.pass('files that are mounted there', path);
      return;
    }
    if (entry.isSymbolicLink()) {
      const link = await readlink(place).catch(() => null);
      if (link !== null) this.collector.member({ name: path, type: 'symlink', bytes: 0, link });
    } else if (entry.isDirectory()) {
      this.collector.member({ name: path, type: 'directory', bytes: 0, link: '' });
      if (!kernelFolders.has(path)) await this.enter(at, entry.name, path, depth);
    } else if (!entry.isFile()) this.collector.member({ name: path, type: 'device', bytes: 0, link: '' });
    else if (interestOf(path, this.options.deep === true) !== 'no' || this.machine === null)
      await this.file(place, path);
  }

  private async enter(at: Folder, name: string, path: string, depth: number): Promise<void> {
    if (depth >= deepest) {
      this.collector.pass(`folders more than ${deepest} deep`, path);
      return;
    }
    let handle: FileHandle;
    try {
      handle = await open(join(at.via, name), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      this.collector.pass(`folders that could not be read, ${codeOf(error)}`, path);
      return;
    }
    const { dev } = await handle.stat();
    if (dev !== this.device && !libraryFolders.test(path)) {
      this.collector.pass('other file systems that are mounted there', path);
      await handle.close();
      return;
    }
    await this.folder(await this.folderOf(handle, join(at.via, name), path), depth + 1);
  }

  private async file(place: string, path: string): Promise<void> {
    const wanted = interestOf(path, this.options.deep === true) !== 'no';
    // One program tells for which processor the system is; it need not be of interest itself.
    if (!wanted && !/^\/(?:usr\/)?(?:s?bin|lib(?:64)?)\//.test(path)) return;
    let handle: FileHandle;
    try {
      handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (wanted) this.collector.pass(`files that could not be read, ${codeOf(error)}`, path);
      return;
    }
    try {
      const state = await handle.stat();
      if (!state.isFile()) return;
      if (this.machine === null) await this.learnMachine(handle);
      if (wanted) await this.content(handle, path, state.size);
    } finally {
      await handle.close();
    }
  }

  private async content(handle: FileHandle, path: string, size: number): Promise<void> {
    this.bytes += size;
    const taker = this.collector.member({ name: path, type: 'file', bytes: size, link: '' });
    if (taker === null) return;
    if (size > mostFile) {
      this.collector.pass('files that are too long', path);
      return;
    }
    let at = 0;
    try {
      while (at < size && !this.over()) {
        const { bytesRead } = await handle.read(this.buffer, 0, Math.min(chunkLength, size - at), at);
        if (bytesRead === 0) break;
        at += bytesRead;
        taker.data(this.buffer.subarray(0, bytesRead));
      }
    } catch (error) {
      this.collector.pass(`files that could not be read, ${codeOf(error)}`, path);
    }
    taker.end();
  }

  /** ELF header: magic, byte order, machine (System V ABI). */
  private async learnMachine(handle: FileHandle): Promise<void> {
    const head = Buffer.alloc(20);
    const { bytesRead } = await handle.read(head, 0, 20, 0).catch(() => ({ bytesRead: 0 }));
    if (bytesRead < 20 || head.readUInt32BE(0) !== 0x7f454c46) return;
    const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
    this.machine = machines[machine] ?? null;
  }
}

const machines: Readonly<Record<number, string>> = {
  3: '386',
  21: 'ppc64le',
  22: 's390x',
  40: 'arm/v7',
  62: 'amd64',
  183: 'arm64',
  243: 'riscv64',
};

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'error';
}

/** Variables that say something of the GPU stack; others may hold secrets and are not read. */
const telling =
  /^(?:PATH|LD_LIBRARY_PATH|LD_PRELOAD|LIBRARY_PATH|CUDA_[A-Z_]{1,60}|CUDNN_VERSION|NV_[A-Z_]{1,60}|NVARCH|NVIDIA_[A-Z0-9_]{1,60}|NCCL_[A-Z0-9_]{1,60}|PYTORCH_[A-Z_]{1,60}|TORCH_[A-Z_]{1,60}|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|PYTHONPATH|PYTHONHOME|TRT_VERSION|_CUDA_COMPAT_[A-Z_]{1,40})$/;

/** What a process was started with, in place of the configuration of its image. */
async function processConfig(pid: number): Promise<ImageConfig | null> {
  try {
    const text = (await readFile(`/proc/${pid}/environ`)).toString('utf8');
    const env = text.split('\0').flatMap((line) => {
      const equals = line.indexOf('=');
      const name = line.slice(0, Math.max(equals, 0));
      return telling.test(name) ? [{ name, value: line.slice(equals + 1) }] : [];
    });
    return {
      os: 'linux',
      architecture: null,
      variant: null,
      created: null,
      env,
      entrypoint: [],
      cmd: [],
      user: null,
      labels: {},
      history: [],
    };
  } catch {
    return null;
  }
}

/** @throws ImageError where there is no such process */
export async function rootOfProcess(pid: number): Promise<string> {
  if (!Number.isSafeInteger(pid) || pid < 1) throw new ImageError('bad-option', `${pid} is no process id`);
  const root = `/proc/${pid}/root`;
  try {
    await readlink(root);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new ImageError('no-image', `there is no process ${pid} here`);
    throw fileError(error, root);
  }
  return root;
}

/** Mount points of a process below the top folders of its root (proc_pid_mountinfo(5)); none where it cannot be read. */
async function mountPointsOf(pid: number | string | undefined): Promise<ReadonlySet<string>> {
  if (pid === undefined) return new Set();
  const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
  const points = text.split('\n').map((line) => (line.split(' ')[4] ?? '').replaceAll('\\040', ' '));
  // A system may have /usr or /opt on a disk of its own.
  return new Set(points.filter((point) => point.indexOf('/', 1) > 0));
}
