// Files of the kernel module.
//
// $ cat /proc/driver/nvidia/version
// NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.135  Fri Jan 10 04:17:32 UTC 2025
// GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)
// NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (builder@host)  Tue Sep 23 ...
// $ cat /sys/module/nvidia/version
// 580.95.05
// $ modinfo nvidia
// filename:       /lib/modules/5.15.0-119-generic/updates/dkms/nvidia.ko
// version:        580.95.05
// license:        Dual MIT/GPL
// vermagic:       5.15.0-119-generic SMP mod_unload modversions
// $ cat /proc/driver/nvidia/gpus/0000:19:00.0/information
// Model:           NVIDIA H100 80GB HBM3
// GPU Firmware:    580.95.05
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { gpuName } from './gpu-state.ts';
import { fullDriverRelease } from './releases.ts';
import { known, words } from './values.ts';

const moduleText =
  /NVIDIA UNIX (?:(Open) Kernel Module for (\w{2,12})|(\w{2,12}) Kernel Module) {1,4}(\d{3}\.\d{1,3}(?:\.\d{1,3})?)(?![\w.])/;

/** The text with which the module names itself, in its version file and in the kernel log when it is loaded. */
export const procDriverVersion: Parser = {
  id: 'proc-driver-version',
  literals: ['nvidia unix '],
  keep: { before: 0, after: 1 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const match = moduleText.exec(line.clean);
      const release = fullDriverRelease(match?.[4]);
      if (match === null || release === null) continue;
      if (!isOldCopy(document, line)) sink.add('driver.module', release, line);
      sink.add('driver.flavour', match[1] === undefined ? 'proprietary' : 'open', line);
      const arch = match[2] ?? match[3];
      if (arch === 'x86_64' || arch === 'aarch64' || arch === 'ppc64le') sink.add('os.arch', arch, line);
    }
  },
};

/**
 * True for the version file of a container that was started in legacy mode: it is a copy from that time, and the file of
 * the module itself, which is there as well, says what is loaded now.
 */
function isOldCopy(document: Document, line: Line): boolean {
  if (line.command !== 'cat /proc/driver/nvidia/version') return false;
  return (
    document.lines.some((each) => / \/proc\/driver\/nvidia \S{1,200} .{0,200}?- tmpfs /.test(each.clean)) &&
    document.lines.some(
      (each) => each.command === 'cat /sys/module/nvidia/version' && fullDriverRelease(each.clean.trim()) !== null,
    )
  );
}

export const sysModuleVersion: Parser = {
  id: 'sys-module-version',
  literals: [],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!/\/sys\/module\/nvidia\/version\b/.test(block.command)) continue;
      for (const line of filled(block.output)) {
        const release = fullDriverRelease(line.clean.trim());
        if (release !== null) sink.add('driver.module', release, line);
      }
    }
  },
};

export const modinfo: Parser = {
  id: 'modinfo',
  literals: ['modinfo', 'filename:', 'vermagic:', '/nvidia.ko'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (/^filename: {1,24}\S{0,400}\/nvidia(?:-current)?\.ko/.test(line.clean))
        readModinfo(document.lines, line.index + 1, sink);
    }
    for (const block of blocksOf(document)) {
      if (
        !/^(?:\/\S{0,40}\/)?modinfo\b/.test(block.command) ||
        !/\bnvidia(?:\b|-current)(?![-_](?:uvm|drm|modeset|peermem))/.test(block.command)
      )
        continue;
      const lines = filled(block.output);
      if (lines.some((line) => line.clean.startsWith('filename:'))) continue;
      for (const line of lines) {
        const release = fullDriverRelease(/^(?:version: +)?(\d{3}\.[\d.]{1,12})$/.exec(line.clean.trim())?.[1]);
        if (release !== null) sink.add('driver.module-file', release, line);
        const kernel = /^vermagic: {1,20}(\d\S{2,100}) /.exec(line.clean)?.[1];
        if (kernel !== undefined) sink.add('driver.module-file-kernel', kernel, line);
        readLicence(line, sink);
      }
    }
  },
};

function readModinfo(lines: Document['lines'], from: number, sink: FactSink): void {
  for (let at = from; at < Math.min(lines.length, from + 200); at++) {
    const line = lines[at]!;
    const match = /^([a-z]{3,12}): {1,20}(\S.{0,300})$/.exec(line.clean);
    if (match === null || match[1] === 'filename' || line.prompt) return;
    const release = match[1] === 'version' ? fullDriverRelease(match[2]!.trim()) : null;
    if (release !== null) sink.add('driver.module-file', release, line);
    if (match[1] === 'vermagic') sink.add('driver.module-file-kernel', words(match[2]!)[0]!, line);
    readLicence(line, sink);
  }
}

function readLicence(line: Line, sink: FactSink): void {
  const licence = /^license: {1,24}(\S.{0,40})$/.exec(line.clean)?.[1]?.trim();
  if (licence === 'NVIDIA') sink.add('driver.flavour', 'proprietary', line);
  else if (licence === 'Dual MIT/GPL') sink.add('driver.flavour', 'open', line);
}

export const gpuInformation: Parser = {
  id: 'proc-gpu-information',
  literals: ['video bios:', 'gpu excluded:', 'device minor:'],
  keep: { before: 6, after: 8 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits) {
      if (hit.index <= done) continue;
      const block = document.lines.slice(Math.max(0, hit.index - 8), hit.index + 12);
      const gpu =
        block
          .map((line) => /^Bus Location:\s{1,8}([\da-fA-F:.]{7,16})$/.exec(line.clean)?.[1])
          .find((bus) => bus !== undefined) ?? null;
      for (let at = Math.max(0, hit.index - 8); at < Math.min(document.lines.length, hit.index + 12); at++) {
        const line = document.lines[at]!;
        const firmware = /^GPU Firmware:\s{1,8}(\S{1,20})/.exec(line.clean)?.[1];
        if (firmware !== undefined) sink.add('gpu.gsp-firmware', { gpu, version: fullDriverRelease(firmware) }, line);
        const excluded = /^GPU Excluded:\s{1,8}(Yes|No)\b/.exec(line.clean)?.[1];
        if (excluded !== undefined) sink.add('gpu.excluded', { gpu, excluded: excluded === 'Yes' }, line);
        const model = /^Model:\s{1,8}(\S.{0,100})$/.exec(line.clean);
        const name = model === null ? null : gpuName(known(model[1]) ?? undefined);
        if (name !== null) sink.add('gpu.name', name, line);
        done = at;
      }
    }
  },
};

const parameterLine = /^([A-Z][A-Za-z0-9_]{2,60}): (-?\d{1,20}|".{0,200}")$/;

/** `/proc/driver/nvidia/params`: `RmProfilingAdminOnly: 1`. */
export const driverParameters: Parser = {
  id: 'proc-driver-params',
  literals: ['rmprofilingadminonly', 'enablegpufirmware', 'modifydevicefiles', 'nvreg_'],
  keep: { before: 8, after: 40 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      const match = parameterLine.exec(line.clean.trim());
      if (match !== null) sink.add('driver.parameter', { name: match[1]!, value: match[2]! }, line);
      const option = /\bNVreg_(\w{3,60})=(\S{1,80})/.exec(line.clean);
      if (option !== null) sink.add('driver.parameter', { name: option[1]!, value: option[2]! }, line);
    }
  },
};
