// What one run of the probe showed, as far as the gate asks.
import type { Evidence } from '../model/document.ts';
import type { Verdict } from '../model/verdict.ts';

/** One look at the machine. */
export interface Reading {
  readonly verdict: Verdict;
  /** The probe came to its end. */
  readonly complete: boolean;
  /** Observation that each line of the probe's text belongs to, by line number. */
  readonly sections: readonly (string | null)[];
  /** Signs that the driver is being changed. */
  readonly changes: readonly string[];
  /** How long the machine is up; null where it is not known. */
  readonly uptimeSeconds: number | null;
}

/**
 * Reads what the gate needs beside the verdict from the probe's text.
 * @param text what the probe printed, to its last whole line
 */
export function readingOf(text: string, verdict: Verdict): Reading {
  const sections: (string | null)[] = [null];
  const lines = text.split('\n');
  const change: string[] = [];
  const modules: string[] = [];
  let current: string | null = null;
  let complete = false;
  for (const line of lines) {
    if (line.startsWith('@ ')) current = line.slice(2).split(' ', 1)[0] ?? null;
    sections.push(current);
    if (line.startsWith('@= ')) current = null;
    if (line.startsWith('@culprit-end sections=')) complete = true;
    if (!line.startsWith('|')) continue;
    if (current === 'rollout') change.push(line.slice(1));
    if (current === 'modules') modules.push(line.slice(1));
  }
  return { verdict, complete, sections, ...rolloutOf(change, modules) };
}

/** Programs that install or load a driver, by the kernel's name for them (15 characters). */
const installers: Readonly<Record<string, string>> = {
  dkms: 'dkms is building',
  depmod: 'modules are being installed',
  modprobe: 'a module is being loaded',
  insmod: 'a module is being loaded',
  rmmod: 'a module is being unloaded',

  'nvidia-installe': 'the driver installer runs',
  'nvidia-uninstal': 'the driver installer runs',
  dpkg: 'dpkg runs',
  'apt-get': 'apt-get runs',
  apt: 'apt runs',
  rpm: 'rpm runs',
  dnf: 'dnf runs',
  yum: 'yum runs',
  zypper: 'zypper runs',
  transactional: 'a system update runs',
  'rpm-ostree': 'rpm-ostree runs',
  dracut: 'an initramfs is being built',
  'update-initramf': 'an initramfs is being built',
  mkinitramfs: 'an initramfs is being built',
};

/**
 * Lines of the observation `rollout` and of `/proc/modules` → signs of a driver that is being changed.
 *
 * uptime 93.24
 * /sys/module/nvidia/initstate coming
 * /run/nvidia/validations/driver-ready
 * 4711 dkms
 */
function rolloutOf(
  lines: readonly string[],
  modules: readonly string[],
): { readonly changes: readonly string[]; readonly uptimeSeconds: number | null } {
  const changes = new Set<string>();
  let uptimeSeconds: number | null = null;
  let operator = false;
  let ready = false;
  for (const line of lines) {
    const [first = '', second = ''] = line.split(' ');
    if (first === 'uptime') {
      const seconds = Number(second);
      if (/^\d{1,10}(?:\.\d{1,4})?$/.test(second)) uptimeSeconds = seconds;
    } else if (first.startsWith('/run/nvidia/validations')) {
      operator = true;
      if (/\/(?:driver-ready|host-driver-ready|vfio-pci-ready|vgpu-manager-ready|\.driver-ctr-ready)$/.test(first))
        ready = true;
    } else if (first.endsWith('/initstate')) {
      if (second === 'coming' || second === 'going') changes.add(`module is ${second}`);
    } else if (/^\d+$/.test(first)) {
      const name = installers[second];
      if (name !== undefined) changes.add(name);
    }
  }
  // GPU operator: the files are taken away while a driver is replaced, and come back when it is validated.
  if (operator && !ready) changes.add('gpu-operator: driver not ready');
  for (const line of modules) {
    // name size users by state address
    const [name = '', , , , state] = line.split(' ');
    if (name.startsWith('nvidia') && (state === 'Loading' || state === 'Unloading'))
      changes.add(`module is ${state.toLowerCase()}`);
  }
  return { changes: [...changes], uptimeSeconds };
}

/** Observations that speak by one mouth count as one source. */
const voices: Readonly<Record<string, string>> = {
  'proc-driver-version': 'module',
  'sys-module-version': 'module',
  'proc-driver-params': 'module',
  'proc-gpu-information': 'module',
  modules: 'module',
  'device-nodes': 'devices',
  'device-access': 'devices',
  'device-rules': 'devices',
  'mig-capabilities': 'module',
  'library-files': 'libraries',
  ldconfig: 'libraries',
  'ld-so-conf': 'libraries',
  'library-tags': 'libraries',
  'module-files': 'module files',
  dkms: 'module files',
  modinfo: 'module files',
  dpkg: 'packages',
  rpm: 'packages',
  'package-history': 'packages',
  services: 'services',
  daemons: 'services',
  'fabricmanager-version': 'services',
  'imex-version': 'services',
  'kernel-log': 'kernel log',
};

/** Independent sources that lines of evidence come from: what the same part of the system said twice counts once. */
export function sourcesOf(evidence: readonly Evidence[], reading: Reading): readonly string[] {
  const found = evidence.map((each) => {
    const section = reading.sections[each.line] ?? each.source;
    return voices[section] ?? section;
  });
  return [...new Set(found)];
}
