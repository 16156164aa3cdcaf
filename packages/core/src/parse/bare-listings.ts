// Listings that were cut down to some columns, and the bus.
//
// $ dpkg -l | awk '/nvidia/{print $2,$3}'
// libnvidia-compute-535:amd64 535.183.01-0ubuntu0.22.04.1
// Setting up nvidia-driver-510 (510.108.03-0ubuntu0.22.04.1) ...
// $ lsmod | awk '/^nvidia/{print $1}'
// nvidia
// nvidia_modeset
// $ lspci -nn | grep -i vga
// 01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GB202 [GeForce RTX 5090] [10de:2b85] (rev a1)
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled, pipeline } from './blocks.ts';

const columns = /^(?:awk|cut|sed|tr|column|sort|uniq|xargs)\b/;
const driverPackage =
  /^(?:lib)?(?:nvidia|cuda|xserver-xorg-video-nvidia|linux-(?:modules|objects|signatures)-nvidia)[a-z0-9.+-]{0,100}$/;
const cutRow =
  /^(?:([a-zA-Z]{2}) {1,4})?([a-z][a-z0-9.+-]{1,120})(?::[a-z0-9]{2,10})? {1,80}((?:\d{1,2}:)?\d[\w.+~-]{2,80})$/;
const setUp =
  /^(?:Setting up|Unpacking|Preparing to unpack \S{0,40}) ([a-z][a-z0-9.+-]{1,120})(?::[a-z0-9]{2,10})? \(((?:\d{1,2}:)?\d[\w.+~-]{2,80})\)/;

/** Packages whose listing lacks the architecture column, and those that apt is just setting up. */
export const cutPackages: Parser = {
  id: 'dpkg',
  literals: ['setting up ', 'unpacking ', 'dpkg', 'apt'],
  parse(document, hits, sink) {
    for (const line of hits) {
      const match = line.prompt || line.told ? null : setUp.exec(line.clean);
      if (match === null || !driverPackage.test(match[1]!)) continue;
      sink.add('package', { name: match[1]!, version: match[2]!, manager: 'dpkg', build: 'ii' }, line);
    }
    for (const block of blocksOf(document)) {
      const parts = pipeline(block.command);
      if (
        !/\b(?:dpkg(?:-query)?|apt)\b/.test(parts[0] ?? '') ||
        !(parts.some((part) => columns.test(part)) || /-W\b|-f\b|--showformat/.test(block.command))
      )
        continue;
      for (const line of filled(block.output)) {
        const match = cutRow.exec(line.clean.trim());
        if (match === null || !driverPackage.test(match[2]!)) continue;
        // A state column may be cut off as well; a filter on it stands in the command.
        const state = match[1] ?? (/\brc\b/.test(block.command) ? undefined : 'ii');
        sink.add(
          'package',
          { name: match[2]!, version: match[3]!, manager: 'dpkg', ...(state === undefined ? {} : { build: state }) },
          line,
        );
      }
    }
  },
};

/** Names of loaded modules alone: `lsmod | awk '{print $1}'`, `ls /sys/module | grep nvidia`. */
export const moduleNames: Parser = {
  id: 'lsmod',
  literals: ['lsmod', '/proc/modules', '/sys/module'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const parts = pipeline(block.command);
      const source = parts[0] ?? '';
      const listed =
        /^(?:lsmod|cat \/proc\/modules)\b/.test(source) && parts.slice(1).some((part) => /^(?:awk|cut)\b/.test(part));
      if (!listed && !/^ls(?: -\w{1,3})? \/sys\/module\/?(?: |$)/.test(source)) continue;
      if (parts.some((part) => /^(?:head|tail|wc)\b/.test(part) || /^grep\b.{0,40}\s-\w{0,3}v/.test(part))) continue;
      const lines: Line[] = [];
      for (const line of filled(block.output)) if (/^[a-z][\w-]{1,40}$/.test(line.clean.trim())) lines.push(line);
      if (lines.length > 0)
        sink.add(
          'modules.loaded',
          lines.map((line) => line.clean.trim()),
          lines,
        );
    }
  },
};

const busRow =
  /(?:VGA compatible controller|3D controller|Display controller)(?: \[\d{4}\])?: NVIDIA Corporation (?:\S{2,20} )?\[([^\]]{3,60})\]/;

/** GPUs as the bus lists them, with the marketing name where the table of names has it. */
export const busGpus: Parser = {
  id: 'lspci',
  literals: ['nvidia corporation'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      const name = line.prompt ? undefined : busRow.exec(line.clean)?.[1];
      if (name === undefined || /^10de:/i.test(name)) continue;
      // `GeForce RTX 3060 Ti Lite Hash Rate`, `GeForce RTX 2060 SUPER / 2070`: the first name without trade words
      const first = name
        .split(' / ')[0]!
        .replace(/ Lite Hash Rate$/, '')
        .trim();
      if (first !== '') sink.add('gpu.name', first.startsWith('NVIDIA ') ? first : `NVIDIA ${first}`, line);
    }
  },
};
