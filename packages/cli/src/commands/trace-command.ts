import type { Command } from './command.ts';

export const trace: Command = {
  name: 'trace',
  summary: 'say where the time of a GPU program goes, why, and whose it is',
  arguments: 'FILE…|FOLDER…|-',
  details: [
    'Reads traces of the PyTorch profiler and of JAX or TensorFlow (JSON), exports of Nsight Systems (nsys export -t sqlite), what nsys stats, nsys profile --stats=true, nsys analyze and nvprof print, in any of their forms and between other output, and profiles of single kernels by Nsight Compute as CSV (ncu --csv), raw and details pages, in the signs of any locale. Which kind a file is, is told from its content; gzip and zstd are unpacked. A trace may have any size: it is read in pieces. What is damaged or breaks off is said, and the rest is judged.',
    'The traces of all files and folders named are the ranks of one job. The rank is what the trace says itself, else the number in the name of its file; ranks that are missing or there twice are said.',
    'Of a trace the verdict says where the GPU waits, for whom, and what the cure could save at most. Of single kernels it names the one that costs the most time and what is wrong with it: divergence, few warps, scattered memory access, bank conflicts, a grid that does not fill the GPU. What is at the limit of the hardware is healthy. Its numbers are facts named trace.….',
    'Every finding about a trace of events (not one about printed sums) shows its numbers against the thresholds they are held to; --threshold changes one, and --thresholds lists them.',
  ],
  flags: [
    {
      name: 'top',
      value: 'N',
      summary: 'rows of each table: kernels, calls, copies and streams with the most time; 5 without it',
    },
    {
      name: 'threshold',
      value: 'NAME=VALUE',
      multiple: true,
      summary: 'judge a trace by another threshold; --thresholds lists them',
    },
    { name: 'thresholds', summary: 'list the thresholds and end' },
    { name: 'compare', summary: 'compare two traces of one program, before and after a change' },
    { name: 'html', value: 'FILE', summary: 'write the verdict with the time line, one page for a browser' },
    { name: 'svg', value: 'FILE', summary: 'write the time line, or a range of it, as an SVG picture' },
    { name: 'range', value: 'FROM..TO', summary: 'with --svg: this range, 100ms..250ms from the first event on' },
    { name: 'timeline', value: 'FILE', summary: 'write the events and findings of the time line as JSON' },
    { name: 'output', short: 'o', value: 'FILE', summary: 'write the report into a file, redacted' },
    { name: 'no-redact', summary: 'leave names in a file of --output as they are' },
  ],
  formats: ['text', 'json', 'markdown', 'junit', 'sarif', 'github', 'html'],
  examples: [
    { command: 'culprit trace run.sqlite', does: 'nsys profile -o run ./app && nsys export -t sqlite run.nsys-rep' },
    { command: 'culprit trace log/', does: 'a folder with a trace of each rank, as the PyTorch profiler writes it' },
    { command: 'culprit trace rank0.pt.trace.json.gz', does: 'one rank' },
    { command: 'culprit trace --compare before.sqlite after.sqlite', does: 'what a change of the program brought' },
    { command: 'culprit trace --html run.html run.sqlite', does: 'the verdict with the time line, for a browser' },
    { command: 'ncu --set full --csv --page raw ./app | culprit trace -', does: 'profile and explain at once' },
    { command: 'culprit trace profile.csv', does: 'a saved profile' },
    {
      command: 'ncu --import report.ncu-rep --csv --page raw | culprit trace -',
      does: 'a report in the own format of the tool',
    },
  ],
  exits: [
    { status: 0, when: 'the GPU is well used; with --compare, nothing changed' },
    { status: 1, when: 'something costs time; with --compare, something changed' },
    { status: 3, when: 'the profile does not tell; with --compare, the traces are not known to be of the same work' },
  ],
  load: async () => (await import('./trace.ts')).run,
};
