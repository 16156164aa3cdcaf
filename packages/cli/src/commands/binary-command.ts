import type { Command } from './command.ts';

export const binary: Command = {
  name: 'binary',
  summary: 'list the GPU code, kernels and versions in libraries, programs, cubins, static libraries and wheels',
  arguments: 'FILE…|FOLDER…',
  details: [
    'Takes shared libraries, programs, object files, static libraries (.a), bare fat binaries and cubins, and wheels (.whl), which are not unpacked to disk. A folder, such as site-packages/torch, is searched for them; symbolic links in it are not followed, and files without GPU code that are no CUDA library are only counted (--all lists them).',
    'Only headers are read: a library of more than 1 GB takes less than a second; a wheel takes as long as unpacking it. Kernels are unpacked with --kernels, --kernel or --arch, and for JSON where the code is small.',
    '--on says which code a GPU would take: machine code, PTX that its driver compiles at first start, or none. With a driver (--on driver=550.54.15,gpu=H100) all rules of culprit judge decide.',
    'What cannot be read is named with its place and reason; the other files are still read.',
  ],
  flags: [
    { name: 'on', value: 'GPU', summary: 'the GPU by name or compute capability, or driver=VERSION,gpu=NAME' },
    { name: 'kernels', summary: 'list kernels with registers, shared, local and constant memory, barriers' },
    {
      name: 'kernel',
      value: 'NAME',
      summary: 'only kernels of this name, mangled or as C++ writes it',
      multiple: true,
    },
    { name: 'arch', value: 'ARCH', summary: 'only kernels for this architecture: sm_90a', multiple: true },
    { name: 'all', summary: 'list files of a folder that hold no GPU code, too' },
  ],
  formats: ['text', 'json', 'markdown', 'csv'],
  examples: [
    { command: 'culprit binary libfoo.so', does: 'architectures, PTX, version, needed libraries' },
    { command: 'culprit binary site-packages/torch --on "RTX 5090"', does: 'does anything here run on that GPU' },
    { command: 'culprit binary torch-2.7.0-cp312-cp312-linux_x86_64.whl', does: 'a wheel, not unpacked' },
    { command: 'culprit binary libfoo.so --kernels --arch sm_90', does: 'what each kernel takes' },
  ],
  exits: [
    { status: 0, when: 'read; with --on, all GPU code here serves that GPU' },
    { status: 1, when: 'with --on, the code of a file does not run there' },
    { status: 3, when: 'with --on, it depends on the driver, or there is no GPU code' },
  ],
  load: async () => (await import('./binary.ts')).run,
};
