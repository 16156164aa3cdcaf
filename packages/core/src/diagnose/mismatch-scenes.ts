// Three ways in which driver, libraries and programs do not fit, as an operator meets them. The texts are what the tools
// print for the releases that are asked for; the verdict on them is the engine's.
import { judge } from '../compat/judge.ts';
import type { Question } from '../compat/question.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import { createDocument } from '../text/document.ts';
import { parseDriver } from '../versions/driver.ts';
import { diagnose } from './diagnose.ts';

export interface MismatchReleases {
  /** The kernel module that is loaded. */
  readonly module: string;
  /** The driver packages on the disk of the host. */
  readonly packages: string;
  /** CUDA release that the program was built with. */
  readonly cuda: string;
  /** The libcuda that the image brings. */
  readonly inImage: string;
}

export interface MismatchScene {
  readonly id: 'module-and-packages' | 'driver-and-program' | 'image-and-module';
  readonly title: string;
  /** What the user reports, and the verdict on it. */
  readonly report: string;
  readonly suspected: Verdict;
  /** The report with what the command prints there, and the verdict on both. */
  readonly transcript: string;
  readonly verdict: Verdict;
}

/** Prints what tells the three apart: the module, what NVML says, and which libcuda the program gets. */
export const tellingCommand: string =
  'head -1 /proc/driver/nvidia/version; nvidia-smi | grep -i version; ldconfig -p | grep libcuda.so.1; ls -l /usr/lib/*/libcuda.so.1 /usr/local/cuda/compat/libcuda.so.*.*';

/**
 * The three set-ups with these releases, on an H100. Releases that fit make a program that runs: the compatibility rules
 * decide, and the engine then finds no fault.
 */
export function mismatchScenes(releases: MismatchReleases, knowledge: Knowledge): readonly MismatchScene[] {
  const { module, packages, cuda, inImage } = releases;
  const host = '/usr/lib/x86_64-linux-gnu/libcuda.so.1';
  const compat = `/usr/local/cuda/compat/libcuda.so.${inImage}`;
  const runs = (asked: Question): boolean =>
    judge({ driver: module, gpu: 'H100', ...asked }, knowledge).answer === 'runs';
  const works = ['step 1/1000 loss 2.31', 'step 2/1000 loss 2.27'];
  const noPair = ['CUDA error 803: system has unsupported display driver / cuda driver combination'];
  const tooOld = ['CUDA error 35: CUDA driver version is insufficient for CUDA runtime version'];
  const fits = sameBuild(module, packages);
  return [
    sceneOf(
      'module-and-packages',
      'The packages were upgraded, the old kernel module is still loaded',
      ['$ ./train', ...(fits ? works : noPair)],
      [
        ...kernelModule(module),
        ...(fits ? smiHead(module, knowledge) : nvmlMismatch(packages)),
        cached(host),
        linked(host, packages),
      ],
      knowledge,
    ),
    sceneOf(
      'driver-and-program',
      'The program was built with a newer CUDA than the driver serves',
      [
        '$ python -m torch.utils.collect_env | grep "CUDA used"',
        `CUDA used to build PyTorch: ${cuda}`,
        '$ ./train',
        ...(runs({ toolkit: cuda }) ? works : tooOld),
      ],
      [...kernelModule(module), ...smiHead(module, knowledge), cached(host), linked(host, module)],
      knowledge,
    ),
    sceneOf(
      'image-and-module',
      'The container brings a libcuda of its own, and the program gets that one',
      [
        '$ docker exec -it job bash',
        '# ./train',
        ...(sameBuild(module, inImage) || runs({ compatDriver: inImage, compatOnPath: true }) ? works : noPair),
      ],
      [
        ...kernelModule(module),
        ...smiHead(module, knowledge),
        cached('/usr/local/cuda/compat/libcuda.so.1'),
        cached(host),
        linked(host, module),
        `-rw-r--r-- 1 root root 34000000 Mar 18 09:01 ${compat}`,
      ],
      knowledge,
    ),
  ];
}

/** A reading that is not the same in all scenes; null where the text does not have it. */
export interface MismatchReading {
  readonly title: string;
  readonly values: readonly (string | null)[];
}

const readings: readonly (readonly [title: string, of: (facts: Verdict['facts']) => string | null])[] = [
  ['kernel module that is loaded', (facts) => textOf(facts, 'driver.module')],
  ['nvidia-smi answers with driver', (facts) => textOf(facts, 'driver.version')],
  ['driver libraries on the disk', (facts) => textOf(facts, 'driver.library')],
  ['CUDA that the driver serves', (facts) => textOf(facts, 'driver.cuda')],
  ['CUDA that the program was built with', (facts) => textOf(facts, 'torch.cuda')],
  [
    'libcuda that the program gets',
    (facts) =>
      (facts.find(({ id }) => id === 'loader.cache')?.value as { readonly path?: string } | undefined)?.path ?? null,
  ],
];

/** What the engine read in the scenes, where they differ. */
export function mismatchReadings(scenes: readonly MismatchScene[]): readonly MismatchReading[] {
  return readings.flatMap(([title, of]) => {
    const values = scenes.map(({ verdict }) => of(verdict.facts));
    return new Set(values).size > 1 ? [{ title, values }] : [];
  });
}

/** The longest value of a fact: NVML prints two numbers of a release, files have them all. */
function textOf(facts: Verdict['facts'], wanted: string): string | null {
  const texts = facts.flatMap(({ id, value }) => (id === wanted && typeof value === 'string' ? [value] : []));
  return texts.sort((a, b) => b.length - a.length)[0] ?? null;
}

function sceneOf(
  id: MismatchScene['id'],
  title: string,
  report: readonly string[],
  printed: readonly string[],
  knowledge: Knowledge,
): MismatchScene {
  const first = `${report.join('\n')}\n`;
  const transcript = `${first}$ ${tellingCommand}\n${printed.join('\n')}\n`;
  const judged = (text: string): Verdict => diagnose([createDocument(text, { file: null })], knowledge);
  return { id, title, report: first, suspected: judged(first), transcript, verdict: judged(transcript) };
}

function kernelModule(release: string): readonly string[] {
  return [`NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${release}  Tue Mar  4 22:03:11 UTC 2025`];
}

function smiHead(release: string, knowledge: Knowledge): readonly string[] {
  const branch = parseDriver(release)?.branch;
  const cuda = knowledge.branches.find((row) => row.branch === branch)?.cuda ?? 'N/A';
  return [`| NVIDIA-SMI ${release.padEnd(22)} Driver Version: ${release.padEnd(14)} CUDA Version: ${cuda.padEnd(8)} |`];
}

function nvmlMismatch(release: string): readonly string[] {
  return [
    'Failed to initialize NVML: Driver/library version mismatch',
    `NVML library version: ${release.split('.').slice(0, 2).join('.')}`,
  ];
}

function cached(path: string): string {
  return `\tlibcuda.so.1 (libc6,x86-64) => ${path}`;
}

function linked(path: string, release: string): string {
  return `lrwxrwxrwx 1 root root 21 Mar 18 09:01 ${path} -> libcuda.so.${release}`;
}

function sameBuild(a: string, b: string): boolean {
  return parseDriver(a)?.parts.join('.') === parseDriver(b)?.parts.join('.');
}
