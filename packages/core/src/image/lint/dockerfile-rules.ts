// What is wrong with a Dockerfile for a GPU, before it is built. Only what ends up in the image counts: the last stage and
// the stages that it is built on.
import type { Remedy } from '../../model/rule.ts';
import type { BaseImage } from './base-image.ts';
import { baseImageOf, endedSystems } from './base-image.ts';
import type { Dockerfile, Instruction, Stage, Word } from './dockerfile.ts';
import { finalChain } from './dockerfile.ts';
import type { Notice, Place } from './finding.ts';
import type { Install } from './installs.ts';
import {
  bareName,
  installOf,
  isCpuBuild,
  isDriverPackage,
  majorOfPython,
  majorOfSystemPackage,
  isModulePackage,
  pullsDriver,
} from './installs.ts';
import { bareCommand, commandsOf } from './shell.ts';
import type { Command, ShellWord } from './shell.ts';
import { variableNotices } from './variables.ts';

/** What rules ask of a Dockerfile. */
interface Reading {
  readonly file: string;
  readonly lines: readonly string[];
  readonly chain: readonly Stage[];
  readonly base: BaseImage | null;
  readonly commands: readonly Command[];
  readonly installs: readonly Install[];
  /** The image is meant for a GPU, as far as the file tells. */
  readonly gpu: boolean;
  /** There is a folder of stubs: only images with a compiler have one. */
  readonly stubs: boolean;
}

const developer = (text: string, command?: string): Remedy => ({
  actor: 'developer',
  do: text,
  ...(command === undefined ? {} : { command }),
});

/** @param platform `--platform` of the build; null where it is not given */
export function dockerfileNotices(parsed: Dockerfile, file: string, platform: string | null): readonly Notice[] {
  const chain = finalChain(parsed);
  const first = chain[0];
  if (first === undefined) return [];
  const commands = chain.flatMap((stage) =>
    stage.instructions
      .filter((each) => each.keyword === 'RUN')
      .flatMap((each) => (each.exec === null ? commandsOf(each.words, stage.env) : [execCommand(each)])),
  );
  const installs = commands.map(installOf).filter((each) => each !== null);
  const base = first.image === null ? null : baseImageOf(first.image);
  const gpu =
    (base !== null && base.kind !== 'other') ||
    installs.some((each) => each.packages.some((word) => isGpuPackage(each.manager, word.text)));
  const brings = installs.some(
    (each) =>
      (each.manager === 'apt' || each.manager === 'rpm') &&
      each.packages.some((word) =>
        /^(?:cuda|cuda-.{0,40}(?:dev|toolkit|devel|compiler).{0,20}|nvidia-cuda-toolkit)(?:$|=)|^cuda-\d/.test(
          word.text,
        ),
      ),
  );
  const stubs = base?.kind !== 'cuda' || base.devel || brings;
  const reading: Reading = { file, lines: parsed.lines, chain, base, commands, installs, gpu, stubs };
  return [
    ...driverPackages(reading),
    ...driverFiles(reading),
    ...loaderFolders(reading),
    ...chain.flatMap((stage) =>
      stage.instructions
        .filter((each) => each.keyword === 'ENV')
        .flatMap((each) =>
          each.pairs.flatMap((pair) =>
            variableNotices(pair.name, pair.value, placeOf(reading, pair.word), {
              gpu,
              stubs,
              cuda: base?.cuda ?? null,
              checksItself: base?.kind === 'ngc',
            }),
          ),
        ),
    ),
    ...entrypoint(reading),
    ...cpuBuild(reading),
    ...mixedMajors(reading),
    ...endOfLife(reading),
    ...platforms(reading, platform),
  ];
}

function execCommand(instruction: Instruction): Command {
  const words = (instruction.exec ?? []).map((text) => ({ text, line: instruction.line, column: 1 }));
  return { words, conditional: false };
}

function placeOf(reading: Pick<Reading, 'file' | 'lines'>, word: Pick<Word, 'line' | 'column'>): Place {
  return { file: reading.file, line: word.line, column: 1, text: reading.lines[word.line - 1] ?? '' };
}

function isGpuPackage(manager: Install['manager'], text: string): boolean {
  const name = bareName(text);
  if (manager === 'apt' || manager === 'rpm')
    return /^cuda(?:-|$)|^libcu(?:dnn|blas)|^libnccl/.test(name) || isDriverPackage(manager, name);
  return (
    manager === 'pip' &&
    (majorOfPython(text) !== null ||
      /^(?:tensorflow-gpu|onnxruntime-gpu|vllm|flash-attn|nvidia-.{2,40}-cu\d\d)$/.test(name))
  );
}

function driverPackages(reading: Reading): readonly Notice[] {
  return reading.installs.flatMap((install) =>
    install.packages.flatMap((word): readonly Notice[] => {
      const name = bareName(word.text);
      const driver = isDriverPackage(install.manager, name);
      const meta = !driver && (install.manager === 'apt' || install.manager === 'rpm') && pullsDriver(name);
      if (!driver && !meta) return [];
      return [
        {
          cause: 'driver-files-baked-into-image',
          certainty: install.conditional || isModulePackage(name) ? 'possible' : driver ? 'proved' : 'likely',
          message: driver
            ? `${name} puts driver files into the image; they have to be those of the host`
            : `${name} pulls a driver into the image beside the toolkit`,
          places: [placeOf(reading, word)],
          remedies: [
            developer(
              meta
                ? 'install cuda-toolkit or cuda-libraries instead'
                : 'leave the package out: the container start brings the driver of the host',
              meta ? name.replace(/^cuda(?:-runtime|-demo-suite)?/, 'cuda-toolkit') : undefined,
            ),
          ],
          restsOn: ['container-toolkit-source'],
        },
      ];
    }),
  );
}

const driverInstaller = /^(?:\.?\/?(?:[^\s]{0,200}\/)?)NVIDIA-Linux-[\w.*-]{1,60}\.run$/;
const libraryFolder = /^\/(?:usr\/)?(?:local\/)?lib(?:64|32)?(?:\/[a-z0-9_]{2,20}-linux-gnu)?(?:\/|$)/;

/** The driver's own installer, and files of a driver that are copied in. */
function driverFiles(reading: Reading): readonly Notice[] {
  const notices: Notice[] = [];
  const baked = (word: Pick<Word, 'line' | 'column'>, message: string, conditional: boolean): void => {
    notices.push({
      cause: 'driver-files-baked-into-image',
      certainty: conditional ? 'possible' : 'likely',
      message,
      places: [placeOf(reading, word)],
      remedies: [developer('leave the driver out of the image: the container start brings that of the host')],
      restsOn: ['container-toolkit-source'],
    });
  };
  for (const command of reading.commands) {
    const words = bareCommand(command).filter((word) => !['sh', 'bash', 'sudo'].includes(word.text));
    const program = words[0];
    if (
      program !== undefined &&
      driverInstaller.test(program.text) &&
      !words.some((word) => /^(?:-x|--extract-only|--info|-A|--advanced-options)$/.test(word.text))
    )
      baked(program, "the driver's installer runs in the build", command.conditional);
    const cuda = program !== undefined && /(?:^|\/)cuda_\d[\w.*-]{1,60}_linux\.run$/.test(program.text);
    if (
      cuda &&
      (words.some((word) => word.text === '--driver') ||
        !words.some((word) => /^--(?:toolkit|extract|help|samples)/.test(word.text)))
    )
      baked(program, 'the CUDA installer installs its driver too', command.conditional);
  }
  for (const stage of reading.chain) {
    for (const one of stage.instructions) {
      if (one.keyword !== 'COPY' && one.keyword !== 'ADD') continue;
      const paths = one.exec ?? one.words.map((word) => word.text);
      const target = paths.at(-1) ?? '';
      const source = paths
        .slice(0, -1)
        .find((path) => /(?:^|\/)(?:libcuda\.so|libnvidia-(?:ml|ptxjitcompiler|compiler)\.so)[.\d*]{0,20}$/.test(path));
      if (source !== undefined && libraryFolder.test(target) && !target.includes('/stubs'))
        baked({ line: one.line, column: 1 }, `${source.split('/').at(-1) ?? source} is copied into ${target}`, false);
    }
  }
  return notices;
}

/** Folders that are written to ld.so.conf, and links to the stub in a folder that the loader searches. */
function loaderFolders(reading: Reading): readonly Notice[] {
  const notices: Notice[] = [];
  reading.commands.forEach((command, at) => {
    const { words } = command;
    const arrow = words.findIndex((word) => word.text === '>' || word.text === '>>');
    const tee = words.findIndex((word) => word.text === 'tee');
    const file =
      arrow >= 0
        ? words[arrow + 1]?.text
        : tee >= 0
          ? words.slice(tee + 1).find((word) => !word.text.startsWith('-'))?.text
          : undefined;
    if (file !== undefined && /^\/etc\/ld\.so\.conf(?:\.d\/|$)/.test(file)) {
      const piped = tee === 0 ? (reading.commands[at - 1]?.words ?? []) : [];
      const written = [...piped, ...words.slice(0, arrow >= 0 ? arrow : tee)];
      notices.push(...writtenFolders(reading, written, file, command.conditional));
    }
    const [program] = bareCommand(command);
    if (program?.text === 'ln') notices.push(...stubLink(reading, command, at));
  });
  return notices;
}

function writtenFolders(
  reading: Reading,
  words: readonly ShellWord[],
  file: string,
  conditional: boolean,
): readonly Notice[] {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return words.flatMap((word): readonly Notice[] => {
    const folders = word.text.split(/[\s\\]+n?|:/).filter((each) => each.startsWith('/'));
    // Files are taken in the order of their names: behind the folders of the distribution they do no harm.
    const behind = debianLike(reading.base) ? 'x86_64-linux-gnu.conf' : 'zz-nvcr';
    if (name !== 'ld.so.conf' && name > behind) return [];
    if (folders.some((each) => /\/stubs\/?$/.test(each)))
      return [
        stubNotice(
          reading,
          word,
          `${file} names a folder of stubs: the loader may take the stub for the driver`,
          conditional || !reading.stubs ? 'possible' : 'likely',
        ),
      ];
    if (folders.some((each) => /\/compat(?:\/lib(?:\.real)?)?\/?$/.test(each)))
      return [
        compatNotice(
          reading,
          word,
          `${file} puts the compat folder in front on every host, newer ones too`,
          conditional ? 'possible' : 'likely',
        ),
      ];
    return [];
  });
}

/** Red Hat's relatives have no file for the folders of the distribution. */
function debianLike(base: BaseImage | null): boolean {
  return base?.os == null || /^(?:ubuntu|debian)/.test(base.os);
}

function compatNotice(reading: Reading, word: ShellWord, message: string, certainty: Notice['certainty']): Notice {
  return {
    cause: 'compat-registered-for-every-host',
    certainty,
    message,
    places: [placeOf(reading, word)],
    remedies: [developer('leave it to the container toolkit, which takes compat libraries where they help')],
    restsOn: ['cuda-forward-compat'],
  };
}

function stubNotice(
  reading: Reading,
  word: Pick<ShellWord, 'line' | 'column'>,
  message: string,
  certainty: Notice['certainty'],
): Notice {
  return {
    cause: 'libcuda-stub-on-path',
    certainty,
    message,
    places: [placeOf(reading, word)],
    remedies: [
      developer('give the stub to the linker alone: LIBRARY_PATH, or -L', 'LIBRARY_PATH=/usr/local/cuda/lib64/stubs'),
    ],
    restsOn: ['container-toolkit-source'],
  };
}

/** `ln -s …/stubs/libcuda.so /usr/lib/…/libcuda.so.1`, unless a later command of the build takes it away. */
function stubLink(reading: Reading, command: Command, at: number): readonly Notice[] {
  const paths = command.words.filter((word) => word.text.startsWith('/'));
  const [source, target] = paths;
  if (source === undefined || target === undefined || !/\/stubs\/libcuda\.so/.test(source.text)) return [];
  if (target.text.includes('/stubs') || !libraryFolder.test(target.text)) return [];
  const removed = reading.commands
    .slice(at + 1)
    .some(
      (each) =>
        /^(?:rm|unlink)$/.test(bareCommand(each)[0]?.text ?? '') &&
        each.words.some((word) => word.text.includes('libcuda.so') || word.text === target.text),
    );
  return removed
    ? []
    : [stubNotice(reading, target, `${target.text} leads to the stub`, command.conditional ? 'possible' : 'likely')];
}

/** The last ENTRYPOINT counts. */
function entrypoint(reading: Reading): readonly Notice[] {
  if (reading.base?.kind !== 'ngc') return [];
  const last = reading.chain
    .flatMap((stage) => stage.instructions.filter((each) => each.keyword === 'ENTRYPOINT'))
    .at(-1);
  if (last === undefined) return [];
  const words = last.exec ?? last.words.map((word) => word.text);
  if (words.some((word) => word.includes('nvidia_entrypoint.sh'))) return [];
  return [
    {
      cause: 'compat-entrypoint-replaced',
      certainty: words.some((word) => /entrypoint|start|run.{0,20}\.sh|init/i.test(word)) ? 'possible' : 'likely',
      message: 'another ENTRYPOINT takes the place of nvidia_entrypoint.sh, which switches the compat libraries on',
      places: [placeOf(reading, { line: last.line, column: 1 })],
      remedies: [
        developer(
          'give the program as CMD, or start it by the entrypoint of the base',
          'ENTRYPOINT ["/opt/nvidia/nvidia_entrypoint.sh"]',
        ),
      ],
      restsOn: ['cuda-forward-compat'],
    },
  ];
}

/** A CPU build of a framework in an image for the GPU, not replaced by a later install. */
function cpuBuild(reading: Reading): readonly Notice[] {
  if (reading.base === null || reading.base.kind === 'other') return [];
  const found: {
    readonly name: string;
    readonly word: ShellWord;
    readonly cpu: boolean;
    readonly conditional: boolean;
  }[] = [];
  for (const install of reading.installs) {
    const byIndex = install.sources.find(
      (source) => !source.extra && /\/whl\/(?:nightly\/|test\/)?cpu\/?$/.test(source.text),
    );
    const cpuonly = install.manager === 'conda' && install.packages.some((word) => bareName(word.text) === 'cpuonly');
    for (const word of install.packages) {
      const name = bareName(word.text);
      if (!/^(?:torch|pytorch|tensorflow-cpu|tensorflow)$/.test(name)) continue;
      const cpu = isCpuBuild(word.text) || byIndex !== undefined || cpuonly;
      found.push({
        name: name.replace('pytorch', 'torch').replace('-cpu', ''),
        word: byIndex?.word ?? word,
        cpu,
        conditional: install.conditional,
      });
    }
  }
  return found.flatMap((each, at): readonly Notice[] => {
    const later = found.slice(at + 1).some((other) => other.name === each.name && !other.cpu);
    if (!each.cpu || later) return [];
    return [
      {
        cause: 'cpu-only-framework-build',
        certainty: each.conditional ? 'possible' : 'likely',
        message: `a CPU build of ${each.name} is installed into an image for CUDA`,
        places: [placeOf(reading, each.word)],
        remedies: [
          developer(
            'take the build of the CUDA release of the base',
            'pip install torch --index-url https://download.pytorch.org/whl/cu128',
          ),
        ],
        restsOn: ['pytorch-release-matrix'],
      },
    ];
  });
}

/** Packages for another CUDA major than the base image is of. */
function mixedMajors(reading: Reading): readonly Notice[] {
  const own = reading.base?.cuda == null ? null : Number(reading.base.cuda.split('.')[0]);
  const notices: Notice[] = [];
  let first: { readonly major: number; readonly what: string } | null =
    own === null ? null : { major: own, what: `the base image is of CUDA ${own}` };
  for (const install of reading.installs) {
    for (const word of install.packages) {
      const system = install.manager === 'apt' || install.manager === 'rpm';
      const python = system ? null : majorOfPython(word.text);
      const major = system ? majorOfSystemPackage(word.text) : (python?.major ?? null);
      if (major === null) continue;
      if (first === null) first = { major, what: `${bareName(word.text)} is for CUDA ${major}` };
      if (major === first.major) continue;
      notices.push(
        mixed(
          reading,
          word,
          `${word.text.slice(0, 80)} is for CUDA ${major}, ${first.what}`,
          install.conditional || (!system && !/^cupy/.test(word.text)) ? 'possible' : 'likely',
        ),
      );
    }
    const index = install.sources.find((source) => majorOfPython(source.text) !== null);
    const major = index === undefined ? null : majorOfPython(index.text);
    // A wheel brings its own libraries: it only fails where extensions are compiled with the toolkit of the base.
    if (index !== undefined && major !== null && own !== null && major.major !== own)
      notices.push(
        mixed(
          reading,
          index.word,
          `packages for CUDA ${major.major} (${major.text}) are installed, the base image is of CUDA ${own}`,
          install.conditional || reading.base?.devel !== true ? 'possible' : 'likely',
        ),
      );
  }
  return notices;
}

function mixed(reading: Reading, word: ShellWord, message: string, certainty: Notice['certainty']): Notice {
  return {
    cause: 'mixed-cuda-major-packages',
    certainty,
    message,
    places: [placeOf(reading, word)],
    remedies: [developer('take base image and packages of one CUDA major')],
    restsOn: ['cuda-minor-version-compat'],
  };
}

/** A base that gets no updates any more. */
function endOfLife(reading: Reading): readonly Notice[] {
  const { base, chain } = reading;
  const from = chain[0]?.from;
  if (base === null || base.kind !== 'cuda' || from === undefined) return [];
  const major = base.cuda === null ? null : Number(base.cuda.split('.')[0]);
  const system = base.os === null ? undefined : endedSystems[base.os];
  if ((major === null || major >= 12) && system === undefined) return [];
  const what = major !== null && major < 12 ? `CUDA ${base.cuda ?? ''}` : (system ?? '');
  return [
    {
      cause: 'cuda-release-end-of-life',
      certainty: major !== null && major < 11 ? 'likely' : 'possible',
      message: `the base image is of ${what}, which gets no updates any more`,
      places: [placeOf(reading, from)],
      remedies: [developer('take a base image of a CUDA release that is maintained')],
      restsOn: [],
    },
  ];
}

/** A stage that is pinned to a platform, against the one that is built for. */
function platforms(reading: Reading, platform: string | null): readonly Notice[] {
  const stage = reading.chain.at(-1);
  const pinned = reading.chain[0]?.platform ?? null;
  if (stage === undefined || pinned === null || platform === null || samePlatform(pinned, platform)) return [];
  return [
    {
      cause: 'image-wrong-platform',
      certainty: 'likely',
      message: `the image is pinned to ${pinned}, the nodes are ${platform}`,
      places: [placeOf(reading, reading.chain[0]!.from)],
      remedies: [
        developer(
          'leave --platform out of FROM and give it to the build',
          `docker buildx build --platform ${platform}`,
        ),
      ],
      restsOn: [],
    },
  ];
}

/** Are two platforms of one processor? */
export function samePlatform(a: string, b: string): boolean {
  const architecture = (text: string): string =>
    (text.split('/')[1] ?? text).replace('x86_64', 'amd64').replace('aarch64', 'arm64');
  return architecture(a.toLowerCase()) === architecture(b.toLowerCase());
}
