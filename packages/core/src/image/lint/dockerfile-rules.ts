// What is wrong with a Dockerfile for a GPU, before it is built. Only what ends up in the image counts: the last stage and
// the stages that it is built on.
import { baseImageOf, endedSystems } from './base-image.ts';
import type { Dockerfile, Instruction, Word } from './dockerfile.ts';
import { finalChain } from './dockerfile.ts';
import type { Notice } from './finding.ts';
import type { Install } from './installs.ts';
import {
  bareName,
  installOf,
  isCpuBuild,
  isDriverPackage,
  majorOfPython,
  majorOfSystemPackage,
  namedBy,
  isModulePackage,
  pullsDriver,
  removalOf,
} from './installs.ts';
import { bareCommand, commandsOf } from './shell.ts';
import type { Command, ShellWord } from './shell.ts';
import { loaderFolders } from './loader-rules.ts';
import type { Reading } from './reading.ts';
import { developer, libraryFolder, placeOf } from './reading.ts';
import { variableNotices } from './variables.ts';

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
      if ((!driver && !meta) || goesAgain(reading, install, name, meta)) return [];
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

/** A later command takes the package away, or the driver libraries that it brought. */
function goesAgain(reading: Reading, install: Install, name: string, meta: boolean): boolean {
  const later = reading.commands
    .slice(reading.commands.indexOf(install.command) + 1)
    .filter((each) => !each.conditional);
  return later.some((command) => {
    const removed = removalOf(command);
    if (removed !== null)
      return removed.some(
        (pattern) =>
          namedBy(pattern, name) || (meta && /^(?:\^)?(?:\*|lib)?nvidia|^cuda-drivers|^libcuda/.test(pattern)),
      );
    const words = bareCommand(command).map((word) => word.text);
    return words[0] === 'rm' && words.some((word) => /\/libcuda(?:\.so)?[\w.]{0,20}\*?$/.test(word));
  });
}

const driverInstaller = /^(?:\.?\/?(?:[^\s]{0,200}\/)?)NVIDIA-Linux-[\w.*-]{1,60}\.run$/;

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
      const cpu =
        isCpuBuild(word.text) ||
        byIndex !== undefined ||
        cpuonly ||
        (install.sources.length === 0 && cpuBySetting(reading, install));
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

/** Indexes and backends that variables of the build name (`PIP_INDEX_URL`, `UV_TORCH_BACKEND`), also before the command. */
function cpuBySetting(reading: Reading, install: Install): boolean {
  if (install.manager !== 'pip') return false;
  const uv = install.command.words.some((word) => word.text === 'uv' || word.text.endsWith('/uv'));
  const settings = new Map<string, string | null>();
  for (const stage of reading.chain) for (const [name, value] of stage.env) settings.set(name, value);
  for (const word of install.command.words) {
    const equals = /^[A-Z_]{3,30}=/.exec(word.text)?.[0].length ?? 0;
    if (equals === 0) break;
    settings.set(word.text.slice(0, equals - 1), word.text.slice(equals));
  }
  const index = (name: string): boolean => /\/whl\/(?:nightly\/|test\/)?cpu\/?$/.test(settings.get(name)?.trim() ?? '');
  return uv
    ? settings.get('UV_TORCH_BACKEND')?.trim() === 'cpu' || index('UV_DEFAULT_INDEX') || index('UV_INDEX_URL')
    : index('PIP_INDEX_URL');
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
