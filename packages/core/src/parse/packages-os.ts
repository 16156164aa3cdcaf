// Packages of the distribution.
//
// $ dpkg -l | grep nvidia
// ii  nvidia-smi                   525.85.12-1      amd64  NVIDIA System Management Interface
// $ rpm -qa | grep nvidia
// kmod-nvidia-open-dkms-550.54.15-1.el9.x86_64
// $ apt list --installed
// nvidia-driver-550/jammy-updates,now 550.54.15-0ubuntu1 amd64 [installed]
// $ dkms status
// nvidia/550.54.15, 5.15.0-119-generic, x86_64: installed
import type { Line } from '../model/document.ts';
import type { Package } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { fullDriverRelease } from './releases.ts';

const gpuPackage =
  /nvidia|cuda|libcudnn|libnccl|nccl|cudnn|tensorrt|libnvinfer|linux-(?:headers|image|modules)|kernel(?:-|$)|datacenter-gpu|fabric|glibc|libc6|gcc|dkms|nouveau|mlnx|rdma|docker|containerd|podman|slurm|libnvml|enroot|pyxis/i;
const userSpace =
  /^(?:nvidia-smi|nvidia-utils(?:-\d{3})?(?:-server)?|libnvidia-compute(?:-\d{3})?(?:-server)?|libcuda1(?:-\d{3})?|libnvidia-ml1?|nvidia-driver(?:-\d{3})?(?:-server)?(?:-open)?|nvidia-driver-(?:cuda|cuda-libs|libs)|xorg-x11-drv-nvidia(?:-cuda)?(?:-libs)?|nvidia-libs?|nvidia-compute-utils-\d{3}(?:-server)?)$/;
const moduleFile =
  /^(?:nvidia-(?:kernel-)?(?:open-)?dkms(?:-\d{3})?(?:-server)?(?:-open)?|nvidia-kernel-(?:dkms|open-dkms|source-\d{3}\S{0,20})|nvidia-dkms-\d{3}\S{0,20}|kmod-nvidia(?:-open)?(?:-dkms|-latest-dkms|-latest|-\d{3})?(?:-\S{0,40})?|akmod-nvidia)$/;

/** The driver's release in a package version: epoch, revision and distribution part go. */
function upstream(version: string): string | null {
  const colon = version.indexOf(':');
  return fullDriverRelease(
    /^(\d{3}\.\d{1,3}(?:\.\d{1,3})?)(?=[-+~_]|$)/.exec(colon < 0 ? version : version.slice(colon + 1))?.[1],
  );
}

function add(found: Package, installed: boolean, line: Line, sink: FactSink): void {
  sink.add('package', found, line);
  if (!installed) return;
  const release = upstream(found.version);
  const toolkit =
    /^(?:nvidia-container-toolkit|nvidia-container-toolkit-base|libnvidia-container1|libnvidia-container-tools)$/.test(
      found.name,
    )
      ? /^(?:\d:)?(\d{1,2}\.\d{1,3}\.\d{1,3})/.exec(found.version)?.[1]
      : undefined;
  if (toolkit !== undefined) sink.add('container.toolkit-version', toolkit, line);
  if (release === null) return;
  if (moduleFile.test(found.name)) {
    sink.add('driver.module-file', release, line);
  } else if (userSpace.test(found.name)) sink.add('driver.library', release, line);
}

const dpkgRow =
  /^([a-zA-Z]{2,3}) {1,4}([a-z0-9][a-z0-9+.-]{1,120})(?::([a-z0-9]{2,10}))? {1,120}([0-9][\w.:+~-]{0,80}) {1,60}(?:amd64|arm64|i386|all|ppc64el)\b/;

export const dpkg: Parser = {
  id: 'dpkg',
  literals: ['ii  ', 'rc  ', 'if  ', 'iu  ', 'hi  ', 'ih  ', 'in  ', 'ir', 'dpkg'],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    const seen = new Set<number>();
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const match = dpkgRow.exec(line.clean);
      if (match === null || !gpuPackage.test(match[2]!) || seen.has(line.index)) continue;
      seen.add(line.index);
      add(
        { name: match[2]!, version: match[4]!, manager: 'dpkg', build: match[1]! },
        /^.i/.test(match[1]!),
        line,
        sink,
      );
    }
    for (const block of blocksOf(document)) {
      // dpkg-query -W prints name and version, parted by a tab.
      if (!/\bdpkg(?:-query)?\b.{0,60}\s-W/.test(block.command)) continue;
      for (const line of filled(block.output)) {
        const match = /^([a-z0-9][a-z0-9+.-]{1,120})(?::[a-z0-9]{2,10})?\s{1,60}([0-9][\w.:+~-]{0,80})$/.exec(
          line.clean.trim(),
        );
        if (match !== null && gpuPackage.test(match[1]!))
          add({ name: match[1]!, version: match[2]!, manager: 'dpkg' }, true, line, sink);
      }
    }
  },
};

export const aptList: Parser = {
  id: 'apt-list',
  literals: ['[installed', '[upgradable', 'now '],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const match =
        /^([a-z0-9][a-z0-9+.-]{1,120})\/\S{1,120} ([0-9][\w.:+~-]{0,80}) (?:amd64|arm64|all|ppc64el) \[(installed|upgradable)/.exec(
          line.clean,
        );
      if (match !== null && gpuPackage.test(match[1]!))
        add({ name: match[1]!, version: match[2]!, manager: 'dpkg' }, match[3] === 'installed', line, sink);
    }
  },
};

/** `name-version-release.arch`: the last two dashes part it. */
function rpmName(text: string): Package | null {
  const arch = /\.(?:x86_64|noarch|aarch64|ppc64le)$/.exec(text);
  if (arch === null || text.length > 200) return null;
  const body = text.slice(0, arch.index);
  const release = body.lastIndexOf('-');
  const version = body.lastIndexOf('-', release - 1);
  if (version <= 0 || release <= version + 1) return null;
  const name = body.slice(0, version);
  const number = body.slice(version + 1, release);
  return /^\d/.test(number) && /^[A-Za-z][\w.+-]{0,120}$/.test(name)
    ? { name, version: number, manager: 'rpm', build: body.slice(release + 1) }
    : null;
}

export const rpm: Parser = {
  id: 'rpm',
  literals: ['.x86_64', '.noarch', '.aarch64'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const found = rpmName(line.clean.trim());
      if (found !== null && gpuPackage.test(found.name)) add(found, true, line, sink);
      const listed =
        /^([A-Za-z][\w.+-]{1,120})\.(?:x86_64|noarch|aarch64) {1,80}(?:\d:)?(\d[\w.~^]{0,60})-(\S{1,60}) {1,80}@?\S{1,80}$/.exec(
          line.clean.trim(),
        );
      if (listed !== null && gpuPackage.test(listed[1]!))
        add(
          { name: listed[1]!, version: listed[2]!, manager: 'rpm', build: listed[3]! },
          line.clean.includes('@'),
          line,
          sink,
        );
    }
  },
};

const dkmsRow =
  /^(nvidia[\w-]{0,30})(?:\/|, {0,2})(\d{3}\.\d[\d.]{0,12})(?:, {0,2}(\d\S{1,100}?), {0,2}(\w{2,12}))?: {0,2}(added|built|installed|broken)/;

export const dkms: Parser = {
  id: 'dkms',
  literals: [': installed', ': added', ': built', ': broken'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const match = dkmsRow.exec(line.clean.trim());
      const version = fullDriverRelease(match?.[2]);
      if (match === null || version === null) continue;
      sink.add('driver.dkms', { module: match[1]!, version, kernel: match[3] ?? null, state: match[5]! }, line);
      if (match[5] === 'installed') sink.add('driver.module-file', version, line);
    }
  },
};
