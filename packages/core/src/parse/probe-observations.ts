// What the probe could not see, and what it saw of the machine's GPUs (probe/README.md).
//
// @ kernel-log dmesg
// @= exit=denied ms=0
// @ pci-devices lspci -Dnn -d 10de: -k -vv
// |0000:19:00.0 class=0x030200 device=0x2330 numa_node=0 current_link_speed=32.0 max_link_speed=32.0 … driver=nvidia
import type { Document, Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

const quote = /^[ \t]{0,8}(?:> ?){0,4}[ \t]{0,8}/;

/** The first line of the observation that a line ends. */
function headOf(document: Document, line: Line): { readonly source: string; readonly command: string } | null {
  for (let at = line.index - 1; at >= Math.max(0, line.index - 8000); at--) {
    const text = document.lines[at]!.text.replace(quote, '');
    const head = /^@ ([a-z][a-z0-9-]{0,60}) ?(.{0,1000})/.exec(text);
    if (head !== null) return { source: head[1]!, command: head[2]!.trimEnd() };
    if (/^@(?:culprit|=)/.test(text)) return null;
  }
  return null;
}

/** True where the probe says that what a source reads is not there. */
export function isAbsent(document: Document, source: string): boolean {
  return document.lines.some(
    (line) =>
      line.text.replace(quote, '').startsWith(`@ ${source} `) &&
      document.lines[line.index + 1]?.text.replace(quote, '').startsWith('@= exit=absent') === true,
  );
}

export const probeObservations: Parser = {
  id: 'probe',
  literals: ['@= exit=', '@culprit-end '],
  keep: { before: 1, after: 0 },
  parse(document, hits, sink) {
    if (!isProbe(document)) return;
    for (const line of hits) {
      const text = line.clean.replace(quote, '');
      const end = /^@= exit=(denied|timeout|skipped)\b(?:.{0,40}? why=([\w-]{1,30}))?/.exec(text);
      const cut = /^@culprit-end stopped=/.test(text);
      if (end === null && !cut) continue;
      const head = headOf(document, line);
      if (head === null) continue;
      const why = end === null ? 'unfinished' : end[2] === undefined ? end[1]! : `${end[1]!}:${end[2]}`;
      sink.add('probe.missing', { ...head, why }, line);
    }
  },
};

/** True where a text holds the probe's own. */
export function isProbe(document: Document): boolean {
  return document.lines.some((line) => line.prompt && /^[ \t]{0,8}(?:> ?){0,4}[ \t]{0,8}@ [a-z]/.test(line.text));
}

const device = /^([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) class=0x([0-9a-f]{6}) (.{0,400}) driver=([\w-]{1,40})$/;

const tegra =
  /^(?:\/dev\/nvmap|\/dev\/nvhost-ctrl-gpu|\/dev\/nvgpu|\/etc\/nv_tegra_release: |\/proc\/device-tree\/model: NVIDIA (?:Jetson|Orin))/;

/** What kind of machine it is, by files that only that kind has. */
export const probeMachine: Parser = {
  id: 'machine',
  literals: ['cat /sys/class/dmi/id/product_name ', 'ls -d /.dockerenv ', 'darwin '],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const system = block.command === 'uname -a' ? filled(block.output)[0] : undefined;
      // macOS has no driver for GPUs of NVIDIA.
      if (system !== undefined && /^Darwin /.test(system.clean)) sink.add('pci.gpus-counted', 0, system);
      if (!/^(?:cat \/sys\/class\/dmi\/id\/product_name |ls -d \/\.dockerenv )/.test(block.command)) continue;
      for (const line of filled(block.output)) {
        if (line.clean.trim() === '/dev/dxg') sink.add('os.platform', 'wsl', line);
        else if (tegra.test(line.clean)) sink.add('os.platform', 'jetson', line);
        // macOS has no driver for GPUs of NVIDIA.
        else if (/^\/System\/Library\/CoreServices\/SystemVersion\.plist$/.test(line.clean.trim()))
          sink.add('pci.gpus-counted', 0, line);
        else if (/^KUBERNETES_SERVICE_HOST is set/.test(line.clean)) sink.add('container.inside', true, line);
      }
    }
  },
};

export const probeDevices: Parser = {
  id: 'pci-devices',
  literals: [' class=0x0', 'lspci -dnn -d 10de:'],
  keep: { before: 1, after: 0 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!/^lspci -Dnn -d 10de: /.test(block.command)) continue;
      let count = 0;
      for (const line of filled(block.output)) {
        const match = device.exec(line.clean.trimEnd());
        if (match === null) continue;
        const [, address, kind, rest, driver] = match as unknown as [string, string, string, string, string];
        if (kind.startsWith('0680')) {
          sink.add('fabric.nvswitch', true, line);
          continue;
        }
        if (!kind.startsWith('03')) continue;
        count++;
        const of = (name: string): string | null => new RegExp(`(?:^| )${name}=(\\S{1,40})`).exec(rest)?.[1] ?? null;
        const id = of('device')?.replace(/^0x/, '') ?? null;
        const name = `NVIDIA GPU [10de:${id ?? 'unknown'}]`;
        // A device that fell off the bus answers with ones.
        const revision = id === 'ffff' ? 'ff' : null;
        sink.add('pci.gpu', { address, name, driver: driver === 'none' ? null : driver, revision }, line);
        const number = (text: string | null): number | null => {
          const value = text === null ? Number.NaN : Number.parseFloat(text);
          return Number.isFinite(value) && value > 0 ? value : null;
        };
        const [speed, speedMax, width, widthMax] = [
          number(of('current_link_speed')),
          number(of('max_link_speed')),
          number(of('current_link_width')),
          number(of('max_link_width')),
        ];
        if (speed !== null || width !== null)
          sink.add('pci.link', { address, device: name, speed, speedMax, width, widthMax, downgraded: null }, line);
      }
      // Only a whole list counts.
      if (block.prompt.prompt) sink.add('pci.gpus-counted', count, block.prompt);
    }
  },
};
