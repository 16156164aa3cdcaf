import { describe, expect, it } from 'vitest';
import type { ImageReport } from '../image/model.ts';
import { samples } from '../image/samples.ts';
import { inspectImage } from '../image/report.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { image, layer } from '../image/testing.ts';
import { predictAll } from '../image/predict.ts';
import type { Node } from '../image/model.ts';
import { matrixText } from './image-matrix.ts';
import { imageMarkdown, imageText } from './image-report.ts';
import { predictionsText } from './prediction-text.ts';
import { publishedSchema } from './schemas.ts';
import { imageSchemasOf } from './image-schema.ts';
import { z } from 'zod';

const options = { knowledge: defaultKnowledge, version: '0.0.0', color: false, columns: 100, left: [] };

describe('an image on nodes', () => {
  const on = (nodes: readonly Node[]): ImageReport => {
    const scanned = samples['pytorch/pytorch:2.7.0-cuda12.6-cudnn9-devel']!();
    const { report, contents } = inspectImage(scanned);
    return { ...report, predictions: predictAll(scanned, contents, nodes, defaultKnowledge) };
  };
  const good: Node = { name: 'good', driver: '570.124.06', gpu: 'H100', toolkit: '1.18.1', mode: 'jit-cdi' };
  const old: Node = { name: 'old', driver: '470.256.02', gpu: 'V100' };

  it('one node is one line with the answer and its reason', () => {
    const report = on([old]);
    const [head] = predictionsText(report, { color: false, columns: 80 })!.split('\n');
    const { message } = report.predictions[0]!;
    expect(head).toMatch(new RegExp(`^does not run: ${report.reference} on old: `));
    expect(head).toContain(message);
  });

  it('several nodes have one line that counts them and names those that do not run', () => {
    const report = on([good, old]);
    const [head] = predictionsText(report, { color: false, columns: 80 })!.split('\n');
    expect(head).toBe(`${report.reference} runs on 1 of 2 nodes; does not run: old`);
    expect(matrixText([report, report]).split('\n')[0]).toMatch(
      /^runs on 2 of 4 pairs of image and node; does not run: /,
    );
  });

  it('a driver that is not given is the whole reason', () => {
    const { answer, message } = on([{ gpu: 'H100' }]).predictions[0]!;
    expect([answer, message]).toEqual(['cannot-tell', 'the driver is not given']);
  });
});

describe('the report of an image', () => {
  it('says the answer first, then what is in it', () => {
    const text = imageText(inspectImage(samples['pytorch/pytorch:2.7.0-cuda12.6-cudnn9-devel']!()), options);
    const lines = text.split('\n');
    expect(lines[0]).toContain('torch 2.7.0+cu126');
    expect(text).toContain('/opt/conda (3.11, conda): torch 2.7.0+cu126, triton 3.3.0');
    expect(text).toMatch(/cuDNN +9\.5\.1\.17, .{20,120}, taken/);
    expect(text).toMatch(/9\.1\.0, \/usr\/lib\/x86_64-linux-gnu\/libcudnn\.so\.9\.1\.0, not taken/);
    expect(lines.at(-2)).toMatch(/^Tables as of/);
    expect(lines.every((line) => line.length <= 140)).toBe(true);
  });

  it('shows the record with layer and instruction where something is wrong', () => {
    const lib = '/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01';
    const made = image(
      [
        layer({
          [lib]: { bytes: 30_000_000, libcuda: { stub: false, version: '535.183.01', cuda: '12.2', note: null } },
        }),
      ],
      {},
      {
        history: [{ createdBy: 'RUN /bin/sh -c apt-get install -y libnvidia-compute-535', empty: false }],
      },
    );
    const shown = inspectImage(made);
    expect(imageText(shown, { ...options, columns: null })).toContain(
      'made-by="RUN apt-get install -y libnvidia-compute-535"',
    );
    expect(imageText(shown, options)).toMatch(/layer 1 +RUN apt-get install -y libnvidia-compute-535/);
    expect(imageMarkdown(shown, options)).toContain('### In registry.example/team/app:1');
  });

  it('cannot be broken by what an image says', () => {
    const made = image([layer({ '/etc/os-release': 'ID=x\u001b[31m\nPRETTY_NAME="a | b `c` \u001b[2J"\n' })], {
      LD_LIBRARY_PATH: '/a|b\u0007',
    });
    const shown = inspectImage(made);
    expect(imageText(shown, options)).not.toMatch(/\u001b|\u0007/);
    expect(imageMarkdown(shown, options)).not.toMatch(/\u001b|\u0007|a \| b/);
  });

  it.each(Object.entries(samples))('%s has the published shape', (_, make) => {
    expect(imageSchemasOf(z.any()).image.safeParse(inspectImage(make()).report).error).toBe(undefined);
  });

  it('is published', () => {
    expect(publishedSchema('image')).toMatchObject({ $id: 'culprit/image@1' });
  });
});
