import { describe, expect, it } from 'vitest';
import { diagnose } from '../diagnose/diagnose.ts';
import { createDocument } from './document.ts';

const table = ` Time (%)  Total Time (ns)  Num Calls   Avg (ns)    Med (ns)   Min (ns)  Max (ns)   StdDev (ns)          Name
 --------  ---------------  ---------  ----------  ----------  --------  ---------  -----------  ----------------------
     61.2       8612331120      12000    717694.3    690112.0      4200   12331200     211231.1  cudaMalloc
     30.1       4231220911      12000    352601.7    340018.0      1200    9331200     112310.2  cudaFree
      8.7       1223110010      60000     20385.2     18110.0      3200    1331200       9231.1  cudaLaunchKernel`;
const mended = `${table.split('\n').slice(0, 2).join('\n')}
    100.0       1223110010      60000     20385.2     18110.0      3200    1331200       9231.1  cudaLaunchKernel`;
const xid = 'NVRM: Xid (PCI:0000:5d:00): 79, pid=4711, name=python3, GPU has fallen off the bus.';
const of = (text: string): string => diagnose([createDocument(text)]).status;
const accused = ['fault', 'performance', 'not-stack-fault'];

describe('a block that is introduced as', () => {
  it.each([
    [
      "a blog's",
      `From the blog post we discussed (numbers of its author):\n\n${table}\n\nOur program was not profiled yet.`,
    ],
    ['an example', `Example output, yours will differ:\n\n${table}\n`],
    ['what it will look like', `The report should look similar to this:\n${table}\n\nThen open it in the viewer.`],
    ["another project's", `Profile of another project, for comparison:\n\n${table}\n\nOurs follows tomorrow.`],
    [
      "a guide's, with a kernel message",
      `Taken from the vendor's guide:\n\n${xid}\n\nWhat does that line mean in general?`,
    ],
    ['how it was before a change', `Before the fix:\n${table}\n\nAfter the fix:\n${mended}\n\nFixed, closing.`],
    ['how it was, under headings', `## Before\n\n${table}\n\n## After pooling\n\n${mended}\n`],
  ])('%s accuses nobody', (_, text) => {
    expect(accused).not.toContain(of(text));
  });

  it.each([
    ['output of the writer', `nsys stats says this:\n\n${table}\n`],
    ['what came of a guide', `We followed the steps from the guide and now get:\n\n${table}\n`],
    ['what another team broke', `Since the change of another team it fails:\n\n${xid}\n`],
    ['before, and nothing after it', `Before the fix:\n\n${table}\n`],
    ['before and after what broke it', `Before the driver update:\n${mended}\n\nAfter the driver update:\n${xid}\n`],
    ['what follows the end of a quotation', `Example output, yours will differ:\n\n${mended}\n\nOurs:\n${table}\n`],
  ])('%s is still judged', (_, text) => {
    expect(accused).toContain(of(text));
  });
});
