import type { Command } from './command.ts';

export const diagnose: Command = {
  name: 'diagnose',
  summary: 'say which layer of the GPU stack a log, a stack trace or tool output blames',
  arguments: '[FILE|FOLDER…|-]',
  details: [
    'Takes any text: a job log, a stack trace, nvidia-smi in any form, dmesg, collect_env, pip list, kubectl describe, a saved snapshot, or several of them. Each part is recognised by itself.',
    'Several files, and all texts in a folder or a tar archive, are taken as one incident and give one verdict; the evidence names the file. Without a file, or with -, standard input is read.',
    'Files may be compressed with gzip or zstd, and where the program is installed with xz, bzip2 or lz4. In folders and archives program text and documentation are left out: they quote messages that nobody saw.',
    'With --follow each finding is printed when it becomes decidable, and a line when it turns out to be surer, a consequence of another, or wrong. The end of standard input, Ctrl-C or SIGTERM brings the verdict on everything. --format json prints one object a line (culprit/follow@1). Rotation, truncation and a file that appears later are noticed; a line is read when it is complete. Of each message the first 24 and the last 24 are kept with the lines around them, at most 6000 lines and 4 MiB, beside those that prove something: memory does not grow with the log.',
    'What goes to a file (--output) or is to be shared (--share) is redacted: host names, users, addresses, identifiers of devices and secrets become host-1, user-2, secret-3. --redact does so on standard output, --no-redact nowhere.',
  ],
  flags: [
    {
      name: 'follow',
      short: 'F',
      summary: 'follow one growing file, as tail -F does, or standard input; tell each finding once',
    },
    { name: 'share', summary: 'print a block of Markdown to paste into an issue, redacted' },
    { name: 'output', short: 'o', value: 'FILE', summary: 'write the report to this file, redacted' },
    { name: 'no-redact', summary: 'leave names and secrets as they are, also with --share and --output' },
  ],
  formats: ['text', 'json', 'markdown', 'junit', 'sarif', 'github', 'html'],
  examples: [
    { command: 'culprit diagnose job.log', does: 'diagnose a log' },
    { command: 'kubectl logs trainer-0 | culprit diagnose -', does: 'diagnose what a pod said' },
    { command: 'culprit diagnose must-gather/', does: 'one verdict from all logs in a folder' },
    { command: 'culprit diagnose --follow job.log', does: 'watch a job while it runs' },
    { command: 'culprit diagnose --share job.log | xclip', does: 'a report to paste into an issue' },
    { command: 'culprit diagnose -f sarif -o report.sarif job.log', does: 'write a report to a file' },
    { command: 'culprit diagnose job.log dmesg.txt nvidia-smi.txt', does: 'one verdict from several files' },
  ],
  exits: [
    { status: 0, when: 'nothing is wrong' },
    { status: 1, when: 'a fault, a performance finding, or the program is at fault' },
    { status: 3, when: 'cannot tell' },
  ],
  load: async () => (await import('./diagnose.ts')).run,
};
