import { factWords } from '../explain/facts.rows.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';

/** Short names of facts that comparisons often lead with; the others are called as the list of facts calls them. */
const names: Readonly<Record<string, string>> = {
  'driver.version': 'the driver release',
  'driver.module': 'the loaded kernel module',
  'driver.module-file': 'the kernel module on disk',
  'driver.library': 'the release of the driver libraries',
  'driver.cuda': 'the CUDA version that the driver serves',
  'driver.flavour': 'the kind of kernel module',
  'driver.parameter': 'the driver option',
  'modules.loaded': 'the list of loaded modules',
  'modules.absent': 'the list of modules that are not loaded',
  'devices.listed': 'the list of device nodes',
  'gpu.name': 'the GPU',
  'gpu.count': 'the number of GPUs',
  'gpu.pcie': 'the PCIe link of a GPU',
  'gpu.pcie-link': 'the PCIe link of a GPU',
  'gpu.state': 'a GPU',
  'gpu.nvlink': 'an NVLink',
  'gpu.clocks': 'the clocks of a GPU',
  'gpu.power': 'the power of a GPU',
  'gpu.temperature': 'the temperature of a GPU',
  'gpu.ecc-errors': 'ECC errors of a GPU',
  'gpu.ecc-mode': 'the ECC mode of a GPU',
  'gpu.remapped-rows': 'remapped rows of a GPU',
  'gpu.mig-mode': 'the MIG mode of a GPU',
  'gpu.fabric': 'the NVLink fabric of a GPU',
  'gpu.fabric-state': 'the NVLink fabric of a GPU',
  'gpu.gsp-firmware': 'the GSP firmware',
  'gpu.compute-mode': 'the compute mode',
  'gpu.compute-capability': 'the compute capability',
  'gpu.clock-reasons': 'the reasons for lowered clocks',
  'gpu.throttle': 'the reasons for lowered clocks',
  'gpu.persistence-mode': 'persistence mode',
  'gpu.xid-slot': 'the GPU of the Xid',
  'os.name': 'the operating system',
  'os.kernel': 'the running kernel',
  'os.arch': 'the architecture',
  'os.glibc': 'glibc',
  'os.memlock-kib': 'the limit of locked memory (KiB)',
  'os.shm-mib': 'the size of /dev/shm (MiB)',
  'os.service': 'the service',
  'os.oom-kill': 'a process was killed for memory, which',
  'secure-boot': 'secure boot',
  'toolkit.installed': 'the CUDA toolkit',
  'toolkit.runtime': 'the CUDA runtime',
  'torch.version': 'PyTorch',
  'torch.cuda': 'the CUDA of PyTorch',
  'cudnn.version': 'cuDNN',
  'nccl.version': 'the NCCL release',
  'nccl.net': 'the network that NCCL uses',
  'nccl.interfaces': 'the list of interfaces that NCCL uses',
  'nccl.plugin': 'the network plugin of NCCL',
  'nccl.transport': 'the list of transports of NCCL',
  'nccl.rank-path': 'the way to its peers of',
  'nccl.channels': 'the channels of NCCL',
  'nccl.graph': 'the layout of NCCL',
  'nccl.ranks': 'the number of ranks',
  'nccl.nodes': 'the number of nodes',
  'nccl.gdr': 'GPUDirect RDMA over',
  'nccl.adapter': 'the adapter',
  'nccl.nvls': 'NVLink SHARP',
  'container.toolkit-version': 'the NVIDIA container toolkit',
  'image.reference': 'the image',
  'loader.resolved': 'the library that the loader takes for',
  'loader.cache': 'the library in the loader cache for',
  'file.link': 'the target of',
  'framework.version': 'the release of',
  'job.size': 'the number of ranks',
  'program.exception': 'the exception that ended the program',
  host: 'the kind of name of the machine',
};

/** Of these the key follows as it is: `the service nvidia-fabricmanager`. */
const told: ReadonlyMap<string, string> = new Map(factWords.map((each) => [each.id, each.text]));

const collective: Readonly<Record<string, string>> = {
  'waits operation': 'the collective that it waits in',
  'waits sequence': 'the sequence number of the collective that it waits in',
  'enqueued sequence': 'the sequence number of the last collective that it enqueued',
};

/**
 * What a feature is, in words: `the driver release`, `NCCL_IB_DISABLE`, `package torch`; for a message, what it means.
 * @param feature `driver.version`, `env[NCCL_ALGO]`, `said.nvml-mismatch`
 */
export function wordsOf(feature: string, signatures: ReadonlyMap<string, SignatureRow>): string {
  const inside = feature.endsWith(' (container)');
  const id = inside ? feature.slice(0, -' (container)'.length) : feature;
  return `${plainWords(id, signatures)}${inside ? ' in the container' : ''}`;
}

function plainWords(id: string, signatures: ReadonlyMap<string, SignatureRow>): string {
  if (id.startsWith('said.')) return (signatures.get(id.slice(5))?.meaning ?? id.slice(5)).replace(/\.$/, '');
  const open = id.indexOf('[');
  const close = id.lastIndexOf(']');
  const key = open < 0 || close < open ? '' : id.slice(open + 1, close);
  const base = open < 0 ? id : id.slice(0, open);
  const field = close < 0 ? '' : id.slice(close + 1).replace(/^\./, '');
  if (base === 'env') return key;
  if (base === 'package') return `package ${key}`;
  if (base === 'package.state') return `the state of package ${key}`;
  if (base === 'package.replaced') return `what package ${key} was replaced by`;
  if (base === 'gpu.xid' || base === 'gpu.sxid') return `${base === 'gpu.xid' ? 'Xid' : 'SXid'} ${key}`;
  if (base === 'works') return `that the ${key} works`;
  if (base === 'job.collective') {
    const [kind = '', ...where] = key.split(' ');
    const words = collective[`${kind} ${field}`] ?? `where it stands (${field})`;
    return where.length === 0 ? words : `${words} ${where.join(' ')}`;
  }
  const [name, rest] = named(base);
  const fields = [...rest, ...(field === '' ? [] : field.split('.'))].map((word) =>
    word.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(),
  );
  return [`${name}${key === '' ? '' : ` ${key}`}`, ...fields].join(', ');
}

/** The words of the longest known beginning of an id, and what is left of it. */
function named(id: string): readonly [words: string, rest: readonly string[]] {
  const parts = id.split('.');
  for (let length = parts.length; length > 0; length--) {
    const head = parts.slice(0, length).join('.');
    const words = names[head] ?? firstClause(told.get(head));
    if (words !== null) return [words, parts.slice(length)];
  }
  return [id, []];
}

function firstClause(text: string | undefined): string | null {
  if (text === undefined) return null;
  const clause = /^.{3,70}?(?=[:;(.,]|$)/.exec(text)?.[0].trim() ?? text.slice(0, 70);
  return /^[A-Z][a-z]/.test(clause) ? clause[0]!.toLowerCase() + clause.slice(1) : clause;
}

/** Whether the message of a signature is about one thing, or any message of its kind; lower is sharper. */
export function bluntnessOf(feature: string, signatures: ReadonlyMap<string, SignatureRow>): number {
  if (!feature.startsWith('said.')) return feature.startsWith('program.exception') ? 4 : 0;
  const row = signatures.get(feature.slice(5));
  if (row === undefined) return 8;
  const role = { signature: 0, carrier: 4, 'follow-on': 6, info: 8, benign: 9 }[row.role];
  const coded = row.code !== null || row.symbol !== null ? 0 : 1;
  const general = row.id.endsWith('-other') || row.causes.length === 0 ? 2 : 0;
  return role + coded + general;
}
