import { describe, expect, it } from 'vitest';
import { valuesOf } from './testing.ts';

describe('words of prologues and scripts', () => {
  it.each([
    ['Driver on node: 418.87.00', ['418.87.00']],
    ['==> prolog: host v100-07, NVIDIA driver version: 440.33.01, kernel 3.10.0', ['440.33.01']],
    ['requires NVIDIA driver: 525.60.13', []],
    ['Sound driver: 1.2.3', []],
  ])('the driver of %s', (text, versions) => expect(valuesOf(text, 'driver.version')).toEqual(versions));

  it('the toolkit among loaded environment modules', () => {
    const list = 'Currently Loaded Modules:\n  1) gcc/11.3.0   2) cuda/12.2.2   3) openmpi/4.1.5-cuda\n';
    expect(valuesOf(list, 'toolkit.installed')).toEqual(['12.2']);
    expect(valuesOf('  2) cuda/12.2.2', 'toolkit.installed')).toEqual([]);
  });

  it.each([
    ['$ srun --gres=gpu:a100:2 -n 2 ./lmp', ['a100']],
    ['#SBATCH --gpus-per-node=h100:4', ['h100']],
    ['$ srun --gres=gpu:2 ./lmp', []],
  ])('the kind of GPU in %s', (text, kinds) => expect(valuesOf(text, 'job.gpu-type')).toEqual(kinds));

  it.each([
    ["$ nvidia-smi -q -d COMPUTE | grep -c 'Exclusive_Process'\n8", ['Exclusive_Process']],
    ["$ nvidia-smi -q -d COMPUTE | grep -c 'Exclusive_Process'\n0", []],
    [
      '$ nvidia-smi --query-gpu=compute_mode --format=csv,noheader | sort | uniq -c\n      4 Prohibited',
      ['Prohibited'],
    ],
    ['$ grep -c Exclusive_Process notes.txt\n8', []],
  ])('compute modes that were counted: %s', (text, modes) => expect(valuesOf(text, 'gpu.compute-mode')).toEqual(modes));
});

describe('prompts without a sign', () => {
  it.each([
    ['(.venv) [~/bot] uname -r\n5.15.0-105-generic', ['5.15.0-105-generic']],
    ['[n0417] uname -r\n4.18.0-553.el8.x86_64', ['4.18.0-553.el8.x86_64']],
    ['2024-09-01T10:00:00.000Z $ uname -r\n2024-09-01T10:00:00.310Z 6.8.0-45-generic', ['6.8.0-45-generic']],
    ['[2024-08-09T02:11:59.200Z] #> uname -r\n[2024-08-09T02:11:59.210Z] 6.8.0-45-generic', ['6.8.0-45-generic']],
    ['[INFO] unames are listed -r\n5.15.0-105-generic', []],
  ])('%s', (text, kernels) => expect(valuesOf(text, 'os.kernel')).toEqual(kernels));
});

describe('pieces of work', () => {
  it.each([
    ['got prompt\n100%\ngot prompt', 2],
    ['[job 41] loads\n[job 41] runs\n[job 42] loads', 2],
    ['request 118 received\nrequest 118 done', 1],
    ['the job is slow\ntask force', 0],
  ])('%s', (text, count) => expect(valuesOf(text, 'program.piece')).toHaveLength(count));
});

describe('remarks on output that does not come', () => {
  it.each([
    ['[no further output after 40 minutes; ^C]', true],
    ['(nothing more for 25 min, killed it)', true],
    ['^C   # after 30 minutes without output', true],
    ['(it just sits there, 100% util)', true],
    ['[nothing else is printed; waited 20 minutes]', true],
    ['(no more lines, the rest is omitted for brevity)', false],
  ])('%s', (text, hangs) => expect(valuesOf(text, 'program.hang').length > 0).toBe(hangs));
});
