import type { Line } from '../model/document.ts';
import type { FactSink } from './parser.ts';

/**
 * Adds what a Python platform text names: kernel, machine, C library.
 * `Linux-5.15.0-119-generic-x86_64-with-glibc2.35`, `Windows-10-10.0.19045-SP0`, `Linux-5.10.104-tegra-aarch64-with-…`.
 */
export function addPlatformText(text: string, line: Line, sink: FactSink): void {
  if (text.startsWith('Windows-')) {
    sink.add('os.platform', 'windows', line);
    return;
  }
  const match = /^Linux-([\w.+-]{3,80}?)-(x86_64|aarch64|ppc64le)(?:-|$)/.exec(text);
  if (match === null) return;
  addKernel(match[1]!, line, sink);
  sink.add('os.arch', match[2] as 'x86_64' | 'aarch64' | 'ppc64le', line);
  const glibc = /-with-glibc(\d\.\d{1,3})/.exec(text)?.[1];
  if (glibc !== undefined) sink.add('os.glibc', glibc, line);
}

/** Adds a kernel release and the platform that its name tells. */
export function addKernel(release: string, line: Line, sink: FactSink): void {
  if (!/^\d{1,2}\.\d{1,4}[\w.+-]{0,100}$/.test(release)) return;
  sink.add('os.kernel', release, line);
  if (/microsoft|WSL/i.test(release)) sink.add('os.platform', 'wsl', line);
  else if (/tegra/i.test(release)) sink.add('os.platform', 'jetson', line);
}
