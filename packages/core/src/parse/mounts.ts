// What was mounted into a container.
//
// $ cat /proc/self/mountinfo
// 2291 2214 0:431 / /proc/driver/nvidia rw,nosuid - tmpfs tmpfs rw,mode=555
// 2294 2230 259:2 /usr/lib/x86_64-linux-gnu/libcuda.so.550.135 /usr/lib/x86_64-linux-gnu/libcuda.so.550.135 ro - ext4 /dev/nvme0n1p2 rw
// 2295 2230 0:415 /usr/local/cuda-12.6/compat/libcuda.so.560.35.05 /usr/lib/x86_64-linux-gnu/libcuda.so.560.35.05 ro - overlay overlay rw
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { fullDriverRelease } from './releases.ts';

const mountLine =
  /^\d{1,9} \d{1,9} \d{1,5}:\d{1,9} (\S{1,1000}) (\S{1,1000}) \S{1,400} .{0,200}?- (\S{1,30}) (\S{1,300}) /;

export const mountinfo: Parser = {
  id: 'mountinfo',
  literals: [
    ' - ext4 ',
    ' - xfs ',
    ' - overlay ',
    ' - tmpfs ',
    ' - btrfs ',
    ' - zfs ',
    '/proc/driver/nvidia',
    ' - erofs ',
  ],
  parse(_document, hits, sink) {
    let rootLine: Line | null = null;
    let injected: Line | null = null;
    let tmpfs: Line | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const match = mountLine.exec(line.clean.trim());
      if (match === null) continue;
      const [, root, point, type] = match as unknown as [string, string, string, string];
      if (point === '/' && type === 'overlay') rootLine = line;
      if (point === '/proc/driver/nvidia' && type === 'tmpfs') tmpfs = line;
      const library = /\/lib(?:cuda|nvidia-ml)\.so\.(\d{3}\.[\d.]{1,12}\d)$/.exec(point);
      const release = fullDriverRelease(library?.[1]);
      if (release === null) continue;
      const from = type === 'overlay' || root.includes('/compat/') ? 'image' : 'host';
      sink.add('container.mount', { path: point, from }, line);
      if (from === 'host') {
        injected ??= line;
        sink.add('driver.library', release, line);
        sink.add('file.exists', point, line);
      }
    }
    if (tmpfs !== null) sink.add('container.injection', 'legacy', tmpfs);
    else if (injected !== null && rootLine !== null) sink.add('container.injection', 'cdi', [injected, rootLine]);
  },
};
