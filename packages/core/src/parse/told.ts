// What a person says beside the output: remarks, `key: value` lines and claims. Nothing of it is proof.
//
// # driver 375.26, toolkit 8.0.61, GeForce 840M
// GPU: NVIDIA GeForce RTX 3090
// driver branch: 525
// # host: Ubuntu 22.04.1, container toolkit 1.18
// # pytorch-triton 3.5.0, torch 2.10.0.dev+cu130, DGX Spark
import type { Document, Line } from '../model/document.ts';
import type { FactId, FactValue } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { claimLines } from './claim.ts';
import { addTorch, inReport } from './collect-env.ts';
import { addImage } from './images.ts';
import { addKernel } from './platform.ts';
import {
  capability,
  cudaMinor,
  cudaRelease,
  cudnnRelease,
  driverRelease,
  fullDriverRelease,
  ncclRelease,
} from './releases.ts';
import { trimVersion } from './values.ts';

/** Keys at the start of a line that people write and programs do not. */
const proseKey =
  /^(?:GPUs?|cards?|driver(?: branch| version)?|NVIDIA driver|host|node|server|machine|container|image|base(?: image)?|OS|CUDA(?: toolkit| version)?|toolkit|nvcc|gcc|pytorch|torch|tensorflow|jax|python env|runtime|cudnn|nccl|hardware|kernel|environment|setup|stack|versions?|container toolkit)(?: version)? ?[:=] ?\S/i;

/** `CUDA 12.1`, `torch 2.2.0+cu121, nccl 2.19.3`: a line that is nothing but names and releases. */
const nameList =
  /^(?:(?:CUDA|torch|pytorch|driver|nccl|cudnn|nvcc|gcc|tensorflow|jax|jaxlib|vllm|numba|triton|toolkit|ubuntu|python|numpy|glibc) v?\d[\w.+-]{0,40}(?:, ?| and |; ?|$)){1,8}$/i;

const names: readonly RegExp[] = [
  /\b(?:NVIDIA )?(?:GeForce )?(?:RTX|GTX|GT)(?: PRO)? ?A?\d{3,4}M?(?: (?:Ti|SUPER|Super|Ada|Generation|Laptop|GPU|Max-Q|D|Blackwell)\b){0,4}/g,
  /\b(?:NVIDIA )?GeForce (?:MX)?\d{3}M?\b/g,
  /\b(?:NVIDIA )?(?:Quadro(?: (?:RTX|GV|GP|P|M|K|T))? ?\w{1,6}|TITAN (?:RTX|V|Xp|X)|Tesla [A-Z]\d{1,3}\w{0,10}(?:-[\w-]{2,12})?)\b/g,
  /\b(?:NVIDIA )?(?:GB300|GB200|GH200|GB10|B300|B200|B100|H800|H200|H100|H20|A800|A100|A40|A30|A10G|L40S|L40|V100S|V100|P100|K80|K40m|K40|K20\w?|M60|M40|P40)(?:[- ](?:SXM\d?|PCIe|PCIE|NVL|HBM\d\w?|\d{2,3} ?GB)){0,3}\b/g,
  /\b(?:NVIDIA |Tesla )(?:T4G?|L4|A2|A10|A16|P4|T10)\b/g,
  /(?<=\b\d{1,3} ?[x×] ?)(?:T4G?|L4|A2|A10|A16|A30|P4|P40)\b/g,
  /(?<=^(?:\d{1,3} ?[x×] ?)?)(?:[2345]0[5-9]0)(?: Ti| SUPER)?(?=[, ]|$)/g,
  /\b(?:Jetson )?(?:AGX Orin|Orin Nano|Orin NX|AGX Xavier|Xavier NX)\b|\bJetson (?:Nano|TX1|TX2|Orin|Xavier|Thor)\b/gi,
];

const frameworkNames: Readonly<Record<string, string>> = {
  tensorflow: 'tensorflow',
  tf: 'tensorflow',
  jax: 'jax',
  jaxlib: 'jaxlib',
  numba: 'numba',
  vllm: 'vllm',
  sglang: 'sglang',
  xformers: 'xformers',
  triton: 'triton',
  'pytorch-triton': 'triton',
  'flash-attn': 'flash-attn',
  cupy: 'cupy',
  spconv: 'spconv',
  mxnet: 'mxnet',
  onnxruntime: 'onnxruntime',
  'onnxruntime-gpu': 'onnxruntime-gpu',
  tensorrt: 'tensorrt',
  'tensorrt-llm': 'tensorrt-llm',
  deepspeed: 'deepspeed',
  megatron: 'megatron',
};

class Reader {
  private readonly sink: FactSink;
  private readonly line: Line;
  constructor(sink: FactSink, line: Line) {
    this.sink = sink;
    this.line = line;
  }

  private add<Id extends FactId>(id: Id, value: FactValue<Id>): void {
    this.sink.add(id, value, this.line, { told: true });
  }

  read(text: string): void {
    this.driver(text);
    this.cuda(text);
    this.software(text);
    this.gpus(text);
    this.machine(text);
  }

  private driver(text: string): void {
    for (const match of text.matchAll(/\bdrivers?\b([^\d\n.;]{0,40}?)\bR?(\d{3}(?:\.\d{1,3}){0,2})\b(?!\.\d)/gi)) {
      const before = text.slice(Math.max(0, match.index - 16), match.index);
      const after = text.slice(match.index + match[0].length, match.index + match[0].length + 16);
      if (
        wanted(`${before} ${match[1]!}`) ||
        /^ ?(?:\+|or (?:later|newer|above|higher)|is? ?(?:needed|required)|needed|required|and (?:later|newer))/.test(
          after,
        )
      )
        continue;
      this.release(match[2]!);
    }
    for (const match of text.matchAll(
      /\b(?:R|NVIDIA )?(\d{3}(?:\.\d{2,3}){1,2}|R\d{3}|\d{3}\.\d{2,3}) (?:branch )?(?:host |NVIDIA )?driver\b/gi,
    )) {
      if (!wanted(text.slice(Math.max(0, match.index - 16), match.index))) this.release(match[1]!.replace(/^R/i, ''));
    }
    const changed = /\bdrivers?\b[^;]{0,60}?\bfrom R?\d{3}(?:\.\d{1,3}){0,2} to R?(\d{3}(?:\.\d{1,3}){0,2})\b/i.exec(
      text,
    );
    if (changed !== null) this.release(changed[1]!);
    const flavour =
      /\bdriver\b.{0,30}\((open|proprietary)\b|\b(open|proprietary) (?:GPU )?(?:kernel )?(?:modules?|kmod|flavou?r|driver)\b/i.exec(
        text,
      );
    if (flavour !== null)
      this.add('driver.flavour', (flavour[1] ?? flavour[2])!.toLowerCase() === 'open' ? 'open' : 'proprietary');
    const packaged = /\bnvidia-(?:driver|dkms|utils|kernel-open|open)-(\d{3})\b/.exec(text);
    if (packaged !== null) this.release(packaged[1]!);
    const fabric = /\bfabric ?manager (\d{3}\.\d{1,3}(?:\.\d{1,3})?)/i.exec(text);
    if (fabric !== null) this.add('package', { name: 'nvidia-fabricmanager', version: fabric[1]!, manager: 'other' });
    const loaded = fullDriverRelease(
      /\b(?:kernel )?module (?:is |version )?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)\b/i.exec(text)?.[1],
    );
    if (loaded !== null) this.add('driver.module', loaded);
    const library = fullDriverRelease(
      /\b(?:user-?space|libraries|library|libcuda) (?:is |version )?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)\b/i.exec(text)?.[1],
    );
    if (library !== null) this.add('driver.library', library);
  }

  private release(text: string): void {
    const release = driverRelease(text);
    if (release !== null) this.add('driver.version', release);
  }

  private cuda(text: string): void {
    const served =
      /\b(?:serves|supports?(?: up to)?|driver'?s?) (?:at most )?CUDA (\d{1,2}\.\d{1,2})/i.exec(text) ??
      /\b(?:machine|host|node|system|server|cluster|driver) (?:has|with|runs|reports|shows)(?: only)? CUDA (\d{1,2}\.\d{1,2})/i.exec(
        text,
      );
    const driver = cudaMinor(served?.[1]);
    const smi = cudaMinor(
      /\bnvidia-smi\b.{0,40}?\b(?:reports|shows|says|prints) CUDA (?:version )?(\d{1,2}\.\d{1,2})/i.exec(text)?.[1],
    );
    if (smi !== null) this.add('driver.cuda', smi);
    if (driver !== null) this.add('driver.cuda', driver);
    const ofTorch =
      /\b(?:torch|pytorch)\b[^;,]{0,30}?\b(?:with|for|built (?:for|with|against)) (?:CUDA ?(\d{1,2}\.\d{1,2})|cu(\d{2,3})\b)/i.exec(
        text,
      );
    const torch = ofTorch === null ? null : cudaMinor(ofTorch[1] ?? `cu${ofTorch[2]!}`);
    if (torch !== null) this.add('torch.cuda', torch);
    for (const match of text.matchAll(
      /\b(?:CUDA(?:[ -]?(?:toolkit|runtime|version|SDK))?|toolkit)(?: ?[:=] ?|[ -])v?(\d{1,2}(?:\.\d{1,4}){0,2})\b(?!\.?\d)/gi,
    )) {
      if (served !== null && served.index <= match.index && match.index < served.index + served[0].length) continue;
      if (ofTorch !== null && ofTorch.index <= match.index && match.index < ofTorch.index + ofTorch[0].length) continue;
      const before = text.slice(Math.max(0, match.index - 20), match.index);
      if (
        smi !== null &&
        /\b(?:reports|shows|says|prints) $/i.test(text.slice(Math.max(0, match.index - 10), match.index))
      )
        continue;
      // `container toolkit 1.18` and `needs CUDA 12` speak of something else.
      if (/container[ -]$/i.test(before) || wanted(before)) continue;
      const release = cudaRelease(match[1]);
      if (release === null || Number(release.split('.')[0]) < 5) continue;
      const ofImage = /\b(?:image|base)\b/i.test(before) || /^(?:base|image)\b/i.test(text);
      this.add(ofImage ? 'image.cuda' : 'toolkit.runtime', release);
    }
    const variant = /(?<![+\w.])cu(\d{3})\b/.exec(text);
    const built = ofTorch !== null || variant === null ? null : cudaMinor(`cu${variant[1]!}`);
    if (built !== null) this.add(/\b(?:torch|wheels?|index)\b/i.test(text) ? 'torch.cuda' : 'toolkit.runtime', built);
    const second = cudaMinor(/\bCUDA(?: toolkits?)? \d{1,2}\.\d{1,2} and (\d{1,2}\.\d{1,2})\b/i.exec(text)?.[1]);
    if (second !== null) this.add('toolkit.runtime', second);
    const nvcc = cudaMinor(
      /\bnvcc(?: reports| shows| says| is| prints| version| from CUDA)?[ :=]{1,3}v?(\d{1,2}\.\d{1,2})/i.exec(
        text,
      )?.[1] ?? /\bcuda-nvcc(?:-\d{1,2}-\d{1,2})?[ -=](\d{1,2}\.\d{1,2})/.exec(text)?.[1],
    );
    if (nvcc !== null) this.add('toolkit.nvcc', nvcc);
    const isa = /\bPTX (?:ISA |\.version )(\d\.\d)\b/i.exec(text);
    if (isa !== null) this.add('toolkit.ptx-isa', isa[1]!);
  }

  private software(text: string): void {
    for (const match of text.matchAll(
      /\b(?:torch|pytorch)(?: ?==? ?| ?: ?| version | v| )(\d{1,2}\.\d[\w.+-]{0,40})/gi,
    )) {
      // `pytorch-triton 3.5`, `pytorch/pytorch:2.3.0-runtime`
      if (!'-/'.includes(text.charAt(match.index - 1)) || match.index === 0)
        addTorch(trimVersion(match[1]!), this.line, this.sink, true);
    }
    for (const match of text.matchAll(
      /\b([A-Za-z][A-Za-z-]{1,16})(?: ?==? ?| ?: ?| version | v| )(\d{1,4}\.\d{1,4}[\w.+-]{0,40})/g,
    )) {
      const name = frameworkNames[match[1]!.toLowerCase()];
      if (name !== undefined) this.add('framework.version', { name, version: trimVersion(match[2]!) });
    }
    const cudnn = cudnnRelease(/\bcuDNN(?: version)?[ :=v]{1,3}(\d{1,2}\.\d{1,2}(?:\.\d{1,3}){0,2})/i.exec(text)?.[1]);
    if (cudnn !== null) this.add('cudnn.loaded', cudnn);
    const nccl = ncclRelease(/\bNCCL(?: version)?[ :=v]{1,3}(\d\.\d{1,2}\.\d{1,2})/i.exec(text)?.[1]);
    if (nccl !== null) this.add('nccl.version', nccl);
    const gcc = /\b(gcc|clang)(?: version)?[ :=-]{1,2}(\d{1,2}(?:\.\d{1,2}){0,2})\b/i.exec(text);
    if (gcc !== null) this.add('toolkit.host-compiler', `${gcc[1]!.toLowerCase()} ${gcc[2]!}`);
    const glibc = /\bglibc[ :=]{1,2}(2\.\d{1,2})\b/i.exec(text);
    if (glibc !== null) this.add('os.glibc', glibc[1]!);
    const toolkit =
      /\b(?:container[ -]toolkit|libnvidia-container\d?|nvidia-docker2?)[ :=v]{1,3}(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)/i.exec(
        text,
      );
    if (toolkit !== null) this.add('container.toolkit-version', toolkit[1]!);
    const image =
      /\b(?:FROM|image|base image|container)[ :]{1,2}((?:[\w.-]{1,80}\/){0,4}[\w.-]{1,80}:[\w.-]{1,100})/.exec(text);
    if (image !== null) addImage(trimVersion(image[1]!), this.line, this.sink, true);
  }

  private gpus(text: string): void {
    const found = new Set<string>();
    for (const pattern of names) {
      for (const match of text.matchAll(pattern)) {
        // A bare `4090` is the card's number.
        const name = /^\d/.test(match[0]) ? `GeForce RTX ${match[0].trim()}` : match[0].trim();
        if (![...found].some((known) => known.includes(name))) found.add(name);
      }
    }
    for (const name of found) this.add('gpu.name', name);
    if (/\bDGX Spark\b/i.test(text)) this.add('gpu.name', 'NVIDIA GB10');
    const count = /\b(\d{1,4}) ?[x×] (?:NVIDIA |GeForce |Tesla )?(?=[A-Z])/.exec(text);
    if (count !== null && found.size > 0) this.add('gpu.count', Number(count[1]));
    const cc = capability(/\b(?:compute capability|capability|cc) (\d{1,2}\.\d)\b/i.exec(text)?.[1]);
    if (cc !== null) this.add('gpu.compute-capability', cc);
    if (
      /\bNVSwitch|\bHGX\b|\bDGX (?:A100|H100|H200|B200|B300|-?2)\b/i.test(text) &&
      !/\b(?:no|without) NVSwitch/i.test(text)
    )
      this.add('fabric.nvswitch', true);
  }

  private machine(text: string): void {
    const os =
      /\b(Ubuntu|Debian|CentOS|RHEL|Rocky(?: Linux)?|AlmaLinux|Fedora|SLES|openSUSE|Amazon Linux|Windows|EL)(?: Linux| Server)? (\d{1,4}(?:\.\d{1,2}){0,2})\b/i.exec(
        text,
      );
    if (os !== null) {
      this.add('os.name', `${os[1]!} ${os[2]!}`);
      if (/^windows$/i.test(os[1]!)) this.add('os.platform', 'windows');
    } else if (/\bWindows\b(?! driver)/.test(text)) this.add('os.platform', 'windows');
    if (/\bWSL ?2?\b/.test(text)) this.add('os.platform', 'wsl');
    if (/\bJetson\b|\bJetPack\b|\bTegra\b/i.test(text)) this.add('os.platform', 'jetson');
    if (/\b(?:aarch64|arm64)\b/i.test(text)) this.add('os.arch', 'aarch64');
    const kernel = /\bkernel (\d{1,2}\.\d{1,3}\.\d{1,4}[\w.-]{0,60})/i.exec(text);
    if (kernel !== null) addKernel(trimVersion(kernel[1]!), { ...this.line, told: true }, this.sink);
  }
}

/** A sentence of the person who asks, as programs do not write: `My driver is 570.86.10.` */
function firstPerson(text: string): boolean {
  if (
    !/\b(?:I|I'm|I've|my|My|we|We|our|Our)\b/.test(text) ||
    /^[\s|+[{<>]|Traceback|\w(?:Error|Exception|Warning):|^\S{1,60}:\d/.test(text)
  )
    return false;
  const parts = text.split(/\s+/);
  const plain = parts.filter((word) => /^[A-Za-z][a-z'-]{0,20}[,.;:)!?]?$/.test(word)).length;
  return parts.length >= 3 && plain * 2 >= parts.length;
}

/** A release that is asked for, not had. */
function wanted(text: string): boolean {
  return /(?:>=|<=|>|<|\bneeds?|\brequires?|\bat least|\bminimum|\bolder|\bnewer|\bthan|\bbelow|\babove|\bbefore|\bsince|\bfrom)[^,;.]{0,14}$/i.test(
    text,
  );
}

export const told: Parser = {
  id: 'told',
  literals: [],
  parse(document: Document, _hits, sink) {
    const claims = new Set(claimLines(document).map((line) => line.index));
    for (const line of document.lines) {
      if (line.prompt || line.clean.length > 1500) continue;
      if (!line.told && !claims.has(line.index)) {
        // Bullets and bold keys of a report that a person typed.
        const text = line.clean
          .trim()
          .replace(/^[-*•] {1,4}/, '')
          .replaceAll('**', '')
          .replaceAll('`', '');
        if (firstPerson(text)) {
          new Reader(sink, line).read(text);
          continue;
        }
        if (/^(?:base ?)?image: \S{1,300}$/i.test(text)) continue;
        if ((!proseKey.test(text) && !nameList.test(text)) || inReport(document, line)) continue;
        new Reader(sink, line).read(text);
        continue;
      }
      if (line.told && line.command !== null) {
        // A command in a remark, and what is said of it in brackets.
        const beside = /\s\(([^()]{3,300})\)$/.exec(line.clean.trimEnd())?.[1];
        if (beside !== undefined) new Reader(sink, line).read(beside);
        continue;
      }
      new Reader(sink, line).read(line.clean.replace(/^[#\s]{1,8}/, ''));
    }
  },
};
