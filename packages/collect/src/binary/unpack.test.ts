import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gpuCodeSections } from '@culprit/core/binary/fatbin';
import { readElf } from '@culprit/core/binary/elf';
import { readGpuCode } from '@culprit/core/binary/gpu-code';
import { sourceOf } from '@culprit/core/binary/parts';
import { unpackZstd } from '@culprit/core/binary/zstd';
import { decompress } from 'fzstd';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../../../fixtures/binaries/cuda13');

it.each(['libmulti_size.so', 'libptx_only.so', 'librdc.so', 'libdebug.so', 'libaccel.so'])(
  'Zstandard of %s gives the same bytes as another implementation',
  async (name) => {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const elf = await readElf(sourceOf(bytes));
    const ranges = elf!.sections
      .filter((section) => gpuCodeSections.includes(section.name))
      .map(({ offset, size }) => ({ offset, length: size }));
    const { code } = await readGpuCode(sourceOf(bytes), ranges);
    const packed = code.entries.filter(({ compression }) => compression === 'zstd');
    expect(packed.length).toBeGreaterThan(0);
    for (const { payloadOffset, payloadBytes, uncompressedBytes } of packed) {
      const payload = bytes.subarray(payloadOffset, payloadOffset + payloadBytes);
      expect(Buffer.compare(unpackZstd(payload, uncompressedBytes) as Uint8Array, decompress(payload))).toBe(0);
    }
  },
);
