import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { parseCubin } from '../../packages/core/src/binary/cubin.ts';
import { readElf } from '../../packages/core/src/binary/elf.ts';
import { readGpuCode } from '../../packages/core/src/binary/gpu-code.ts';
import { unpackEntry } from '../../packages/core/src/binary/kernels.ts';
import type { Kernel } from '../../packages/core/src/binary/model.ts';
import { sourceOf } from '../../packages/core/src/binary/parts.ts';
import type { BinaryReport } from '../../packages/core/src/binary/report.ts';
import { culprit } from '../run-cli.ts';
import { clean, npmPackage, unpackedWheel } from './download.ts';

const folder = mkdtempSync(join(tmpdir(), 'culprit-kernels-'));
afterAll(() => {
  clean();
  rmSync(folder, { recursive: true, force: true });
});

function toolOf(requirement: string, name: string, context: TestContext): string {
  const got = unpackedWheel(requirement);
  if ('missing' in got) return context.skip(got.missing);
  const found = readdirSync(got.path, { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith(`bin/${name}`));
  const path = join(got.path, found!);
  chmodSync(path, 0o755);
  return path;
}

function said(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  return `${stdout}${stderr}`;
}

describe('kernels of a real library', () => {
  const arch = 'sm_89';

  function kernelsOf(context: TestContext): { readonly path: string; readonly kernels: readonly Kernel[] } {
    const library = npmPackage('@node-llama-cpp/linux-x64-cuda');
    if ('missing' in library) return context.skip(library.missing);
    const name = readdirSync(library.path, { recursive: true, encoding: 'utf8' }).find((one) =>
      one.endsWith('libggml-cuda.so'),
    );
    const path = join(library.path, name!);
    const { files, unread } = JSON.parse(culprit(['binary', '-f', 'json', '--arch', arch, path]).out) as BinaryReport;
    expect(unread).toEqual([]);
    return { path, kernels: files[0]!.kernels! };
  }

  it('need what cuobjdump says', (context) => {
    const cuobjdump = toolOf('nvidia-cuda-cuobjdump', 'cuobjdump', context);
    const { path, kernels } = kernelsOf(context);
    const lines = said(cuobjdump, ['-res-usage', '-arch', arch, path]).matchAll(
      /Function (\S+):\s+REG:(\d+) STACK:\S+ SHARED:(\d+) LOCAL:\d+[^\n]*? CONSTANT\[0\]:(\d+)/g,
    );
    const theirs = [...lines].map(([, name, registers, shared, constant]) =>
      [name, registers, shared, constant].join(' '),
    );
    const ours = kernels.map((one) => [one.name, one.registers, one.staticSharedBytes, one.constantBytes].join(' '));
    expect(theirs.length).toBeGreaterThan(1000);
    expect(ours.toSorted()).toEqual(theirs.toSorted());
  });

  it('have the names that c++filt gives, but for those it cannot read', (context) => {
    if (spawnSync('c++filt', ['--version']).status !== 0) return context.skip('c++filt is not here');
    const { kernels } = kernelsOf(context);
    const { stdout } = spawnSync('c++filt', {
      input: kernels.map(({ name }) => `${name}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    const theirs = stdout.trimEnd().split('\n');
    const other = kernels.filter(({ name, demangled }, i) => theirs[i] !== name && theirs[i] !== demangled);
    expect(other.map(({ name }) => name)).toEqual([]);
  });
});

describe('cubins of real assemblers', () => {
  it.for([
    ['nvidia-cuda-nvcc-cu12==12.9.86', '8.8', ['75', '80', '90a', '100', '100a', '103a', '120f', '121a']],
    ['nvidia-cuda-nvcc', '9.0', ['75', '80', '90a', '100', '100f', '103a', '120f', '121a']],
  ] as const)('%s: what ptxas -v prints', async ([requirement, isa, archs], context) => {
    const ptxas = toolOf(requirement, 'ptxas', context);
    const source = sourceOf(
      new Uint8Array(readFileSync(join(import.meta.dirname, '../../fixtures/binaries/cuda13/libptx_only.so'))),
    );
    const elf = await readElf(source);
    const section = elf!.sections.find(({ name }) => name === '.nv_fatbin')!;
    const { code } = await readGpuCode(source, [{ offset: section.offset, length: section.size }]);
    const ptx = Buffer.from((await unpackEntry(source, code.entries[0]!)) as Uint8Array)
      .toString()
      .replace(/\0+$/, '');
    for (const arch of archs) {
      const input = join(folder, `${arch}.ptx`);
      const output = join(folder, `${arch}.cubin`);
      writeFileSync(
        input,
        ptx.replace(/^\.version .*$/m, `.version ${isa}`).replace(/^\.target .*$/m, `.target sm_${arch}`),
      );
      const printed = said(ptxas, ['-v', `-arch=sm_${arch}`, '-o', output, input]);
      const { cubin, unread } = parseCubin(new Uint8Array(readFileSync(output)));
      expect(unread).toEqual([]);
      expect(cubin?.arch).toBe(`sm_${arch}`);
      const parts = [...printed.matchAll(/Compiling entry function '(\S+)'[^]*?(?=Compiling entry function|$)/g)];
      expect(parts.length).toBe(cubin!.kernels.length);
      for (const [text, name] of parts) {
        const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
        expect(
          cubin!.kernels.find((one) => one.name === name),
          `${name} for sm_${arch}`,
        ).toMatchObject({
          registers: number(/Used (\d+) registers/),
          barriers: number(/used (\d+) barriers/),
          staticSharedBytes: number(/(\d+) bytes smem/),
          localBytes: number(/(\d+) bytes stack frame/),
        });
      }
    }
  });
});
