import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../../knowledge/knowledge.ts';
import { readDockerfile, substituted } from './dockerfile.ts';
import { lintBuildFiles } from './lint.ts';
import { commandsOf } from './shell.ts';

/** `cause:line` of what is told, surest first; `?` where it is only possible. */
function told(text: string, platform: string | null = null): readonly string[] {
  const verdict = lintBuildFiles([{ kind: 'dockerfile', file: 'Dockerfile', text }], platform, defaultKnowledge);
  return verdict.findings.map(
    (each) => `${each.certainty === 'possible' ? '?' : ''}${each.cause}:${each.evidence[0]?.line ?? 0}`,
  );
}

const cuda = 'FROM nvidia/cuda:12.6.3-devel-ubuntu22.04\n';
const ngc = 'FROM nvcr.io/nvidia/pytorch:24.10-py3\n';

const faults: readonly (readonly [string, string, readonly string[]])[] = [
  ['a driver package', `${cuda}RUN apt-get update && apt-get install -y libcuda1`, ['driver-files-baked-into-image:2']],
  [
    'a driver package in a later line',
    `${cuda}RUN apt-get update && \\\n  apt-get install -y --no-install-recommends \\\n    # why\n    curl \\\n    libnvidia-compute-535`,
    ['driver-files-baked-into-image:6'],
  ],
  [
    'nvidia-utils with a version',
    `${cuda}RUN DEBIAN_FRONTEND=noninteractive apt-get -y install nvidia-utils-535=535.183.01-0ubuntu1`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'the meta package that pulls a driver',
    `FROM ubuntu:22.04\nRUN apt-get install -y cuda-12-6`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'a driver package of Red Hat',
    `FROM nvidia/cuda:12.6.3-base-ubi9\nRUN dnf install -y nvidia-driver-cuda`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'in a heredoc',
    `${cuda}RUN <<EOF\nset -e\napt-get update\napt-get install -y nvidia-driver-550\nEOF`,
    ['driver-files-baked-into-image:5'],
  ],
  [
    'by a variable',
    `ARG DRIVER=535\n${cuda}ARG DRIVER\nRUN apt-get install -y libnvidia-compute-\${DRIVER}`,
    ['driver-files-baked-into-image:4'],
  ],
  [
    'the installer of the driver',
    `${cuda}RUN wget https://x/NVIDIA-Linux-x86_64-535.183.01.run && sh NVIDIA-Linux-x86_64-535.183.01.run --silent --no-kernel-module`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'the CUDA installer without --toolkit',
    `FROM ubuntu:22.04\nRUN sh cuda_12.6.3_560.35.05_linux.run --silent`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'libcuda copied in',
    `${cuda}COPY libcuda.so.535.183.01 /usr/lib/x86_64-linux-gnu/`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'in a stage that the last one builds on',
    `${cuda.trim()} AS base\nRUN apt-get install -y libcuda1\nFROM base\nCMD ["x"]`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'stubs on LD_LIBRARY_PATH',
    `${cuda}ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LD_LIBRARY_PATH`,
    ['libcuda-stub-on-path:2'],
  ],
  [
    'stubs in ld.so.conf.d',
    `${cuda}RUN echo "/usr/local/cuda/lib64/stubs" > /etc/ld.so.conf.d/cuda-stubs.conf && ldconfig`,
    ['libcuda-stub-on-path:2'],
  ],
  [
    'a link to the stub',
    `${cuda}RUN ln -s /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1`,
    ['libcuda-stub-on-path:2'],
  ],
  [
    'a copy of the stub',
    `${cuda}RUN cp /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1 && ldconfig`,
    ['libcuda-stub-on-path:2'],
  ],
  [
    'a capability that there is not',
    `${cuda}ENV NVIDIA_DRIVER_CAPABILITIES=compute,utilities`,
    ['driver-capabilities-lack-compute:2'],
  ],
  [
    'a CPU backend by a variable',
    `${cuda}ENV UV_TORCH_BACKEND=cpu\nRUN uv pip install --system torch`,
    ['cpu-only-framework-build:3'],
  ],
  [
    'a CPU index by a variable of the command',
    `${cuda}RUN PIP_INDEX_URL=https://download.pytorch.org/whl/cpu pip3 install torch`,
    ['cpu-only-framework-build:2'],
  ],
  [
    'another package that goes again',
    `${cuda}RUN apt-get install -y libcuda1 curl && apt-get purge -y curl`,
    ['driver-files-baked-into-image:2'],
  ],
  [
    'compat on LD_LIBRARY_PATH',
    `${cuda}ENV LD_LIBRARY_PATH /usr/local/cuda-12.6/compat:$LD_LIBRARY_PATH`,
    ['compat-registered-for-every-host:2'],
  ],
  [
    'compat in ld.so.conf.d',
    `${cuda}RUN echo '/usr/local/cuda/compat' >> /etc/ld.so.conf.d/00-cuda-compat.conf`,
    ['compat-registered-for-every-host:2'],
  ],
  [
    'compat by tee',
    `${cuda}RUN echo /usr/local/cuda/compat/ | tee /etc/ld.so.conf.d/000_cuda.conf`,
    ['compat-registered-for-every-host:2'],
  ],
  ['an entrypoint over that of NVIDIA', `${ngc}ENTRYPOINT ["python", "serve.py"]`, ['compat-entrypoint-replaced:2']],
  [
    'capabilities without compute',
    `${cuda}ENV NVIDIA_DRIVER_CAPABILITIES=utility,video`,
    ['driver-capabilities-lack-compute:2'],
  ],
  [
    'a CPU index',
    `${cuda}RUN pip install torch --index-url https://download.pytorch.org/whl/cpu`,
    ['cpu-only-framework-build:2'],
  ],
  ['a CPU version', `${cuda}RUN python3 -m pip install "torch==2.5.1+cpu"`, ['cpu-only-framework-build:2']],
  [
    'cpuonly of conda',
    `FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\nRUN conda install -y pytorch cpuonly -c pytorch`,
    ['cpu-only-framework-build:2'],
  ],
  [
    'two CUDA majors of the system',
    `${cuda}RUN apt-get install -y cuda-libraries-11-8`,
    ['mixed-cuda-major-packages:2'],
  ],
  [
    'cuDNN for another major',
    `${cuda}RUN apt-get install -y libcudnn8=8.9.7.29-1+cuda11.8`,
    ['mixed-cuda-major-packages:2'],
  ],
  ['CuPy for another major', `${cuda}RUN pip install cupy-cuda11x`, ['mixed-cuda-major-packages:2']],
  [
    'an index of another major where extensions are built',
    `${cuda}RUN pip install torch --index-url https://download.pytorch.org/whl/cu118`,
    ['mixed-cuda-major-packages:2'],
  ],
  ['an old base', 'FROM nvidia/cuda:10.2-base-ubuntu18.04\nCMD ["x"]', ['cuda-release-end-of-life:1']],
  ['the check of the driver switched off', `${cuda}ENV NVIDIA_DISABLE_REQUIRE=1`, ['image-gate-lower-than-content:2']],
  ['a floor under the content', `${cuda}ENV NVIDIA_REQUIRE_CUDA="cuda>=11.0"`, ['image-gate-lower-than-content:2']],
  ['all GPUs kept out', `${cuda}ENV NVIDIA_VISIBLE_DEVICES=none`, ['visible-devices-not-set:2']],
  [
    'a base by variables',
    'ARG V=10.1\nARG BASE=nvidia/cuda:${V}-base\nFROM ${BASE:-ubuntu}\nCMD x',
    ['cuda-release-end-of-life:3'],
  ],
  [
    'another escape character',
    '# escape=`\nFROM nvidia/cuda:12.6.3-base-ubuntu22.04\nRUN apt-get install -y `\n  libcuda1',
    ['driver-files-baked-into-image:4'],
  ],
];

const healthy: readonly (readonly [string, string])[] = [
  [
    'a plain image',
    `${cuda}RUN apt-get update && apt-get install -y cuda-toolkit-12-6 cuda-compat-12-6 libnccl2 python3-pip\nRUN pip install torch --index-url https://download.pytorch.org/whl/cu126\nCMD ["python3"]`,
  ],
  [
    'the stub for the linker',
    `${cuda}ENV LIBRARY_PATH=/usr/local/cuda/lib64/stubs\nRUN LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs make`,
  ],
  [
    'a link to the stub that goes again',
    `${cuda}RUN ln -s /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1 && make && rm /usr/lib/x86_64-linux-gnu/libcuda.so.1`,
  ],
  [
    'a driver in a stage that is thrown away',
    `FROM ubuntu:22.04 AS build\nRUN apt-get install -y libcuda1\n${cuda}COPY --from=build /app /app`,
  ],
  [
    'a driver package that goes again',
    `${cuda}RUN apt-get install -y libnvidia-compute-535 && make && apt-get purge -y 'libnvidia-*'`,
  ],
  [
    'driver libraries that go again',
    `FROM ubuntu:20.04\nRUN apt-get install -y cuda nvidia-cuda-dev\nRUN rm -rf /usr/lib/x86_64-linux-gnu/libnv* && rm -rf /usr/lib/x86_64-linux-gnu/libcuda*`,
  ],
  [
    'a copy of the stub for the linker',
    `${cuda}RUN cp /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so`,
  ],
  [
    'a CPU index by a variable and a CUDA one in the command',
    `${cuda}ENV PIP_INDEX_URL=https://download.pytorch.org/whl/cpu\nRUN pip install torch --index-url https://download.pytorch.org/whl/cu126`,
  ],
  ['a compat file that sorts last', `${cuda}RUN echo /usr/local/cuda/compat > /etc/ld.so.conf.d/zzz-cuda-compat.conf`],
  [
    'stubs behind the folders of the distribution',
    `${cuda}RUN echo /usr/local/cuda/lib64/stubs > /etc/ld.so.conf.d/z-cuda-stubs.conf`,
  ],
  ['words in a message', `${cuda}RUN echo "do not apt-get install libcuda1 here; use the host's"`],
  ['a comment', `${cuda}# RUN apt-get install -y libcuda1\nRUN true`],
  ['the entrypoint of NVIDIA kept', `${ngc}ENTRYPOINT ["/opt/nvidia/nvidia_entrypoint.sh", "python"]`],
  ["a command of one's own", `${ngc}CMD ["python", "serve.py"]`],
  ['capabilities of a desktop', 'FROM ubuntu:22.04\nENV NVIDIA_DRIVER_CAPABILITIES=graphics,display'],
  [
    'capabilities that are added',
    `${cuda}ENV NVIDIA_DRIVER_CAPABILITIES \${NVIDIA_DRIVER_CAPABILITIES:+$NVIDIA_DRIVER_CAPABILITIES,}graphics`,
  ],
  ['a CPU image', 'FROM python:3.12-slim\nRUN pip install torch --index-url https://download.pytorch.org/whl/cpu'],
  [
    'a CPU index beside the CUDA one',
    `${cuda}RUN pip install torch --extra-index-url https://download.pytorch.org/whl/cpu`,
  ],
  ['another minor', `${cuda}RUN pip install torch --index-url https://download.pytorch.org/whl/cu128`],
  ['the container toolkit', `FROM docker:27\nRUN apk add nvidia-container-toolkit`],
  ['a base that only the build knows', 'ARG BASE\nFROM ${BASE}\nRUN make'],
  ["a library path of the host's plugin", `${cuda}ENV LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64`],
  ["the requirement of NVIDIA's own", `${ngc}ENV NVIDIA_REQUIRE_CUDA=cuda>=9.0`],
];

describe('a Dockerfile', () => {
  it.each(faults)('%s', (_, text, expected) => expect(told(text)).toEqual(expected));

  it.each(healthy)('nothing wrong: %s', (_, text) => expect(told(text)).toEqual([]));

  it.each([
    [
      'in a branch',
      `${cuda}RUN case $X in arm) pip install torch --index-url https://download.pytorch.org/whl/cpu ;; esac`,
      ['?cpu-only-framework-build:2'],
    ],
    ['after a failure', `${cuda}RUN true || apt-get install -y libcuda1`, ['?driver-files-baked-into-image:2']],
    ['a kernel module alone', `${cuda}RUN apt-get install -y nvidia-dkms-550`, ['?driver-files-baked-into-image:2']],
    [
      'a wheel with its own libraries',
      'FROM nvidia/cuda:12.6.3-base-ubuntu22.04\nRUN pip install torch --index-url https://download.pytorch.org/whl/cu118',
      ['?mixed-cuda-major-packages:2'],
    ],
    [
      'stubs where a base has none',
      'FROM nvidia/cuda:12.6.3-runtime-ubuntu22.04\nENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs',
      ['?libcuda-stub-on-path:2'],
    ],
    ['an entrypoint that may call it', `${ngc}ENTRYPOINT ["/start.sh"]`, ['?compat-entrypoint-replaced:2']],
  ])('only possible: %s', (_, text, expected) => expect(told(text)).toEqual(expected));

  it('is held against the platform of the nodes', () => {
    expect(told(`FROM --platform=linux/arm64 ubuntu:22.04\n`, 'linux/amd64')).toEqual(['image-wrong-platform:1']);
    expect(told(`FROM --platform=$TARGETPLATFORM ubuntu:22.04\n`, 'linux/amd64')).toEqual([]);
  });

  it('that is none is not healthy', () => {
    const verdict = lintBuildFiles([{ kind: 'dockerfile', file: 'x', text: 'hello' }], null, defaultKnowledge);
    expect(verdict.status).toBe('cannot-tell');
  });

  it('quotes the line', () => {
    const verdict = lintBuildFiles(
      [{ kind: 'dockerfile', file: 'a/Dockerfile', text: `${cuda}RUN apt-get install libcuda1` }],
      null,
      defaultKnowledge,
    );
    expect([verdict.status, verdict.cause, verdict.certainty, verdict.owner]).toEqual([
      'fault',
      'driver-files-baked-into-image',
      'proved',
      'developer',
    ]);
    expect(verdict.findings[0]?.evidence[0]).toMatchObject({
      file: 'a/Dockerfile',
      line: 2,
      text: 'RUN apt-get install libcuda1',
    });
  });

  it.each([
    ['a value that doubles', `FROM a\nENV A=xx\n${'ENV A=$A$A\n'.repeat(60)}`],
    ['one long line', `FROM a\nRUN ${'a '.repeat(120_000)}`],
    ['open quotes', `FROM a\nRUN ${'"$('.repeat(50_000)}`],
    ['open braces', `FROM a\nENV A=${'${A:-'.repeat(20_000)}`],
    ['continued lines', `FROM a\nRUN ${'x \\\n'.repeat(50_000)}`],
    ['many stages', 'FROM a AS a\nFROM a\n'.repeat(2000)],
    ['many variables', `FROM a\n${Array.from({ length: 4000 }, (_, at) => `ENV V${at}=$V${at - 1}x`).join('\n')}`],
    ['many heredocs', 'FROM a\n' + 'RUN <<E\nx\nE\n'.repeat(1500)],
  ])('is read in bounded time: %s', (_, text) => {
    const began = performance.now();
    told(text);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('never throws', () => {
    const word = fc.constantFrom(
      'FROM',
      'RUN',
      'ENV',
      'ARG',
      'nvidia/cuda:12.6',
      'apt-get install',
      'libcuda1',
      '\\\n',
      '\n',
      '<<EOF',
      'EOF',
      '$X',
      '${X:-',
      '}',
      '"',
      "'",
      '&&',
      '#',
      '=',
      '$(',
      ')',
      '--platform=',
      '["a"',
      ']',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word).map((words) => words.join(' ')),
          fc.string(),
        ),
        (text) => {
          told(text);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('what is no Dockerfile', () => {
  it.each([
    ['', /^cannot tell: Dockerfile: no FROM/],
    ['FROM\nRUN true', /^cannot tell: Dockerfile, line 1: FROM names no image/],
  ])('%j is never well', (text, headline) => {
    const verdict = lintBuildFiles([{ kind: 'dockerfile', file: 'Dockerfile', text }], null, defaultKnowledge);
    expect(verdict.status).toBe('cannot-tell');
    expect(verdict.headline).toMatch(headline);
  });

  it('an image by a variable that is only known at the build is one', () => {
    expect(told('ARG BASE\nFROM ${BASE:-ubuntu:22.04}\nRUN true')).toEqual([]);
  });
});

describe('variables of a Dockerfile', () => {
  const env = new Map<string, string | null>([
    ['A', 'x'],
    ['EMPTY', ''],
    ['UNKNOWN', null],
  ]);
  it.each([
    ['$A-${A}', 'x-x'],
    ['${B:-d}', 'd'],
    ['${EMPTY:-d}', 'd'],
    ['${EMPTY-d}', ''],
    ['${A:+y}', 'y'],
    ['${B:+y}', ''],
    ['${B:-${A}}', 'x'],
    ['\\$A', '$A'],
    ['$UNKNOWN', null],
    ['$TARGETARCH', null],
    ['$', '$'],
    ['${', null],
  ])('%s is %j', (text, value) => expect(substituted(text, env)).toBe(value));

  it('are inherited from the stage that is built on, arguments from the top', () => {
    const { stages } = readDockerfile('ARG V=1\nFROM a AS x\nENV P=/p\nARG V\nFROM x\nENV Q=$P:$V', () => ({}));
    expect(stages[1]?.env.get('Q')).toBe('/p:1');
  });
});

describe('commands of a shell', () => {
  const words = (text: string): readonly (readonly string[])[] =>
    commandsOf(
      text.split(' ').map((each) => ({ text: each, line: 1, column: 1, heredoc: false })),
      new Map(),
    ).map((each) => each.words.map((word) => word.text));
  it.each([
    ['a && b; c | d', [['a'], ['b'], ['c'], ['d']]],
    ['echo "x && y" > /z', [['echo', 'x && y', '>', '/z']]],
    ['if a; then b; fi', [['a'], ['b']]],
    ['x $(y | z) w', [['x', '$(y | z)', 'w']]],
    ['a 2>&1', [['a', '2', '>', '&1']]],
  ])('%s', (text, expected) => expect(words(text)).toEqual(expected));
});
