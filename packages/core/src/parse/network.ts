// Network adapters and interfaces.
//
// $ ibstat
// CA 'mlx5_0'
//         Firmware version: 28.39.1002
//         Port 1:
//                 State: Active
//                 Physical state: LinkUp
//                 Rate: 400
//                 Link layer: InfiniBand
// $ ibv_devinfo
// hca_id: mlx5_0
//         fw_ver:                         28.39.1002
//                 port:   1
//                         state:                  PORT_ACTIVE (4)
//                         active_mtu:             4096 (5)
//                         link_layer:             InfiniBand
// $ ibdev2netdev
// mlx5_0 port 1 ==> ibp26s0 (Down)
// $ rdma link
// link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ibp26s0
// $ ip a
// 2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
//     inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0
// $ ethtool eth0
// Settings for eth0:
//         Speed: 100000Mb/s
//         Link detected: yes
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { integer } from './values.ts';

interface Port {
  device: string;
  port: number;
  state: string | null;
  physical: string | null;
  rate: number | null;
  layer: string | null;
  interface: string | null;
  mtu: number | null;
  lines: Line[];
}

function newPort(device: string, port: number, line: Line): Port {
  return {
    device,
    port,
    state: null,
    physical: null,
    rate: null,
    layer: null,
    interface: null,
    mtu: null,
    lines: [line],
  };
}

function addPort(port: Port, sink: FactSink): void {
  const { lines, ...value } = port;
  if (value.state !== null || value.physical !== null || value.interface !== null)
    sink.add('ib.port', value, lines.slice(0, 6));
}

export const infiniband: Parser = {
  id: 'infiniband',
  literals: ["ca 'mlx", "ca '", 'hca_id:', ' ==> ', 'physical_state', 'infiniband device'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (hit.prompt || hit.told) continue;
      const text = hit.clean;
      const device = /^CA '([\w.-]{2,40})'/.exec(text)?.[1] ?? /^hca_id:\s{1,12}([\w.-]{2,40})/.exec(text)?.[1];
      if (device !== undefined) readDevice(document, hit, device, sink);
      const status = /^Infiniband device '([\w.-]{2,40})' port (\d{1,3}) status:/.exec(text);
      if (status !== null) readPort(document, hit.index + 1, newPort(status[1]!, Number(status[2]), hit), sink);
      const net =
        /^([\w.-]{2,40})\s{1,8}port\s{1,4}(\d{1,3})\s{1,4}==>\s{1,4}([\w.@-]{2,40})\s{1,16}\((Up|Down)\)/.exec(text);
      if (net !== null) {
        const port = newPort(net[1]!, Number(net[2]), hit);
        port.interface = net[3]!;
        sink.add(
          'net.interface',
          { name: net[3]!, state: net[4]!.toUpperCase(), mtu: null, addresses: [], speed: null },
          hit,
        );
        addPort(port, sink);
      }
      const rdma =
        /^(?:\d{1,4}: {1,4})?link ([\w.-]{2,40})\/(\d{1,3}) (?:.{0,200}? )?state (\w{2,20}) physical_state (\w{2,20})(?: netdev ([\w.-]{2,40}))?/.exec(
          text,
        );
      if (rdma !== null) {
        const port = newPort(rdma[1]!, Number(rdma[2]), hit);
        port.state = stateWord(rdma[3]!);
        port.physical = physicalWord(rdma[4]!);
        port.interface = rdma[5] ?? null;
        addPort(port, sink);
      }
    }
  },
};

/** One spelling: `Active`, `Down`, `Init`, `Armed`. */
function stateWord(text: string): string | null {
  const word = text
    .replace(/^(?:PORT_|\d: ?)/, '')
    .replace(/ \(\d\)$/, '')
    .trim()
    .toLowerCase();
  if (word.startsWith('init')) return 'Initializing';
  return /^(?:active|down|armed|arm|active_defer|nop)$/.test(word)
    ? word.charAt(0).toUpperCase() + word.slice(1)
    : null;
}

/** One spelling: `LinkUp`, `Polling`, `Disabled`. */
function physicalWord(text: string): string | null {
  const word = text
    .replace(/^\d: ?/, '')
    .replace(/ \(\d\)$/, '')
    .replaceAll('_', '')
    .trim()
    .toLowerCase();
  const known: Readonly<Record<string, string>> = {
    linkup: 'LinkUp',
    polling: 'Polling',
    disabled: 'Disabled',
    sleep: 'Sleep',
    portconfigurationtraining: 'Training',
    linkerrorrecovery: 'LinkErrorRecovery',
  };
  return known[word] ?? null;
}

function readDevice(document: Document, head: Line, device: string, sink: FactSink): void {
  for (let index = head.index + 1; index < Math.min(document.lines.length, head.index + 120); index++) {
    const line = document.lines[index]!;
    if (line.prompt || /^(?:CA '|hca_id:)/.test(line.clean)) break;
    const firmware = /^\s{1,24}(?:Firmware version|fw_ver):\s{1,40}(\d[\d.]{2,20})/.exec(line.clean);
    if (firmware !== null) sink.add('ib.firmware', { device, version: firmware[1]! }, line);
    const port = /^\s{1,24}(?:Port (\d{1,3}):|port:\s{1,12}(\d{1,3}))\s*$/.exec(line.clean);
    if (port !== null) readPort(document, index + 1, newPort(device, Number(port[1] ?? port[2]), line), sink);
  }
}

function readPort(document: Document, from: number, port: Port, sink: FactSink): void {
  for (let index = from; index < Math.min(document.lines.length, from + 20); index++) {
    const line = document.lines[index]!;
    const match = /^\s{1,40}([A-Za-z][\w ]{1,30}):\s{1,40}(\S.{0,60})$/.exec(line.clean);
    if (line.prompt || match === null || /^\s{1,24}Port \d/.test(line.clean)) break;
    const key = match[1]!.toLowerCase();
    const value = match[2]!.trim();
    if (key === 'port') break;
    if (key === 'state') port.state = stateWord(value);
    else if (key === 'physical state' || key === 'phys state' || key === 'phys_state')
      port.physical = physicalWord(value);
    else if (key === 'rate') port.rate = integer(/^\d{1,6}/.exec(value)?.[0]);
    else if (key === 'link layer' || key === 'link_layer') port.layer = value;
    else if (key === 'active_mtu') port.mtu = integer(/^\d{3,5}/.exec(value)?.[0]);
    else continue;
    port.lines.push(line);
  }
  addPort(port, sink);
}

export const interfaces: Parser = {
  id: 'ip-address',
  literals: ['> mtu ', 'settings for ', 'link detected:', ' mtu '],
  keep: { before: 0, after: 12 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (hit.prompt || hit.told) continue;
      const ip =
        /^\d{1,5}: ([\w.-]{1,40})(?:@[\w.-]{1,40})?: <([A-Z0-9_,-]{0,200})> mtu (\d{2,6}) .{0,120}?\bstate (\w{2,20})/.exec(
          hit.clean,
        );
      const old = /^([\w.-]{1,40}): flags=\d{1,6}<([A-Z0-9_,-]{0,200})>\s{1,4}mtu (\d{2,6})/.exec(hit.clean);
      const head = ip ?? old;
      if (head !== null) {
        const { addresses, lines } = addressesBelow(document, hit);
        const up = head[2]!.split(',').includes('UP');
        const state = ip === null ? (up ? 'UP' : 'DOWN') : ip[4] === 'UNKNOWN' && up ? 'UP' : ip[4]!;
        sink.add('net.interface', { name: head[1]!, state, mtu: Number(head[3]), addresses, speed: null }, [
          hit,
          ...lines,
        ]);
      }
      const settings = /^Settings for ([\w.-]{1,40}):/.exec(hit.clean)?.[1];
      if (settings !== undefined) readEthtool(document, hit, settings, sink);
    }
  },
};

function addressesBelow(document: Document, head: Line): { readonly addresses: string[]; readonly lines: Line[] } {
  const addresses: string[] = [];
  const lines: Line[] = [];
  for (const line of document.lines.slice(head.index + 1, head.index + 16)) {
    if (line.prompt || !/^\s{2,12}\S/.test(line.clean)) break;
    const address = /^\s{2,12}inet6? ([\da-fA-F.:]{2,45}(?:\/\d{1,3})?)/.exec(line.clean)?.[1];
    if (address === undefined) continue;
    addresses.push(address);
    if (lines.length < 3) lines.push(line);
  }
  return { addresses, lines };
}

function readEthtool(document: Document, head: Line, name: string, sink: FactSink): void {
  let speed: number | null = null;
  let state: string | null = null;
  const lines: Line[] = [head];
  for (const line of document.lines.slice(head.index + 1, head.index + 60)) {
    if (line.prompt || /^\S/.test(line.clean)) break;
    const value = /^\s{1,12}Speed: (\d{1,7})Mb\/s/.exec(line.clean)?.[1];
    if (value !== undefined) speed = Number(value);
    const link = /^\s{1,12}Link detected: (yes|no)\b/.exec(line.clean)?.[1];
    if (link !== undefined) state = link === 'yes' ? 'UP' : 'DOWN';
    if (value !== undefined || link !== undefined) lines.push(line);
  }
  if (speed !== null || state !== null)
    sink.add('net.interface', { name, state, mtu: null, addresses: [], speed }, lines);
}
