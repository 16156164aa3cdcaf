import type { Layer } from '../model/layer.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';

/**
 * What a fact is to a comparison. `set`: chosen or installed, it can be the root of a difference. `state`: how it is at
 * the moment. `symptom`: what somebody says of it. `loose`: differs between any two machines; counts only where it
 * divides groups by class and far beyond chance.
 */
export type Tier = 'set' | 'state' | 'symptom' | 'loose';
export const tiers: readonly Tier[] = ['set', 'state', 'symptom', 'loose'];

/** Facts that say nothing about a difference by themselves, or are compared by another part. */
export const ignored: ReadonlySet<string> = new Set([
  'claim',
  'program.trouble',
  'program.wish',
  'program.injected',
  'driver.answers',
  'gpu.holders',
  'gpu.processes',
  'util.samples',
  'util.finding',
  'trace.finding',
  'file.size',
  'file.exists',
  'device.node',
  'slurm.job',
  'k8s.event',
  'k8s.pod',
  'k8s.container',
  'container.state',
  'pci.gpu',
  'gpu.topology',
  'gpu.affinity',
  'nccl.bandwidth',
  'nccl.wrong',
  'nccl.average-bandwidth',
  'nccl.init-complete',
  'package.change',
  'profile.kernels',
  'profile.api',
  'framework.devices',
]);

const states =
  /^(?:gpu\.(?:xid|last-xid|sxid|state|row-remap|remapped-rows|retired-pages|throttle|clock-reasons|ecc-errors|recovery-action|nvlink|nvlink-errors|nvlink-state|fabric|fabric-state|pcie|pcie-link|licence)|fabric\.imex|dcgm\.|pci\.link|os\.service|os\.oom-kill|os\.access-denied|ib\.port|net\.interface|slurm\.node|job\.collective|k8s\.(?:condition|device-resource)|nccl\.(?:transport|rank-path|graph|channels|gdr|net$|interfaces|adapter|nvls)|devices\.counted|profile\.)/;
const symptoms = /^(?:said\.|program\.|works\b)/;
const loose = /^(?:gpu\.(?:clocks|power|temperature)|dcgm\.metric|host$|gpu\.xid-slot$|profile\.)/;

/** What a feature is to a comparison, by its id. */
export function tierOf(fact: string): Tier {
  if (loose.test(fact)) return 'loose';
  if (symptoms.test(fact)) return 'symptom';
  return states.test(fact) ? 'state' : 'set';
}

const layerOfPrefix: Readonly<Record<string, Layer>> = {
  driver: 'driver',
  gpu: 'hardware',
  dcgm: 'hardware',
  pci: 'hardware',
  fabric: 'fabric',
  host: 'host-os',
  os: 'host-os',
  modules: 'driver',
  devices: 'driver',
  'secure-boot': 'host-os',
  ib: 'network',
  net: 'network',
  toolkit: 'toolkit',
  loader: 'image',
  file: 'image',
  cudnn: 'cudnn',
  nccl: 'nccl',
  torch: 'framework',
  framework: 'framework',
  container: 'container-runtime',
  cdi: 'container-runtime',
  image: 'image',
  k8s: 'orchestrator',
  slurm: 'orchestrator',
  profile: 'application',
  program: 'application',
  job: 'application',
};

const driverPackage =
  /\[(?:nvidia-(?:driver|dkms|kernel|utils|compute|open|firmware|headless|modprobe|persistenced|fabricmanager|imex|settings)|libnvidia|libcuda|cuda-drivers|kmod-nvidia|xserver-xorg-video-nvidia)/;
const kernelPackage = /\[(?:linux-(?:image|headers|modules)|kernel)/;

/**
 * The layer that a feature belongs to.
 * @param feature `package[torch]`, `env[NCCL_ALGO]`, `driver.version`
 */
export function layerOf(feature: string, signatures: ReadonlyMap<string, SignatureRow>): Layer {
  if (feature.startsWith('said.')) return signatures.get(feature.slice(5))?.layer ?? 'application';
  if (feature.startsWith('package')) {
    if (driverPackage.test(feature)) return 'driver';
    if (kernelPackage.test(feature)) return 'host-os';
    if (/\[(?:nvidia-container|libnvidia-container|docker|containerd)/.test(feature)) return 'container-runtime';
    if (feature.includes('nccl')) return 'nccl';
    if (feature.includes('cudnn')) return 'cudnn';
    return /\[(?:cuda-|nvidia-)/.test(feature) ? 'toolkit' : 'framework';
  }
  if (feature.startsWith('env[')) {
    if (/^env\[(?:NCCL|FI|UCX)_/.test(feature)) return 'nccl';
    if (feature.startsWith('env[NVIDIA_')) return 'container-runtime';
    if (/^env\[(?:TORCH|PYTORCH|XLA|TF|JAX)/.test(feature)) return 'framework';
    return /^env\[(?:CUDA|LD_)/.test(feature) ? 'toolkit' : 'application';
  }
  if (feature === 'works' || feature === 'program') return 'application';
  return layerOfPrefix[feature.split(/[.[ ]/)[0]!] ?? 'application';
}

/** Facts that one change brings about together; the first listed of a family leads it. */
const families: readonly (readonly [name: string, pattern: RegExp])[] = [
  [
    'kernel',
    /^(?:os\.kernel$|os\.kernel-|driver\.module-file-kernel|package\S{0,10}\[(?:linux-(?:image|headers|modules)|kernel))/,
  ],
  [
    'driver',
    /^(?:driver\.|gpu\.gsp-firmware|(?:file\.link|loader\.(?:cache|resolved))\[\S{0,120}(?:libcuda\.so|libnvidia-)|package\S{0,10}\[(?:nvidia-(?!container|cu|nccl|nv|ml)|libnvidia-(?!container)|libcuda|cuda-drivers|kmod-nvidia))/,
  ],
  ['container toolkit', /^(?:container\.toolkit-version|package\S{0,10}\[(?:nvidia-container|libnvidia-container))/],
  ['cudnn', /^(?:cudnn\.|package\S{0,10}\[(?:nvidia-cudnn|cudnn|libcudnn))/],
  ['nccl', /^(?:nccl\.version|package\S{0,10}\[(?:nvidia-nccl|nccl|libnccl))/],
  ['torch', /^(?:torch\.|framework\.version\[torch|package\S{0,10}\[(?:torch|triton|nvidia-|pytorch))/],
  ['toolkit', /^(?:toolkit\.|image\.cuda|package\S{0,10}\[cuda-)/],
  ['image', /^image\./],
  ['nccl paths', /^nccl\.(?:rank-path|transport|graph|channels|gdr|net$|plugin|interfaces|adapter)/],
];

/** The family of a feature; itself where it has none. */
export function familyOf(feature: string): string {
  return families.find(([, pattern]) => pattern.test(feature))?.[0] ?? feature;
}

/** Which of two features of one layer is the root: earlier ones bring the later ones about. */
const leads: readonly string[] = [
  'os.kernel',
  'driver.version',
  'driver.module',
  'driver.module-file',
  'driver.library',
  'driver.flavour',
  'driver.cuda',
  'gpu.name',
  'gpu.count',
  'image.reference',
  'container.toolkit-version',
  'toolkit.installed',
  'torch.version',
  'torch.cuda',
  'nccl.version',
  'nccl.plugin',
  'nccl.net',
  'nccl.ranks',
  'nccl.nodes',
  'nccl.transport',
  'job.collective[waits].operation',
  'job.collective[waits].sequence',
];

export function leadOf(feature: string): number {
  // What somebody set comes before what a program made of it.
  if (feature.startsWith('env[')) return -1;
  const at = leads.indexOf(feature.replace(/ \(container\)$/, ''));
  return at < 0 ? leads.length : at;
}
