// Headers and module files of the running kernel that were looked for and are not there.
//
// $ dpkg -l | grep linux-headers-$(uname -r)
// $ ls /lib/modules/$(uname -r)/build
// ls: cannot access '/lib/modules/6.5.0-41-generic/build': No such file or directory
// $ find /lib/modules/$(uname -r) -name 'nvidia*.ko*'
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

const headerNames = /\b(?:linux-headers|kernel-devel|kernel-headers|kernel-default-devel)\b/;
const moduleFiles = /(?:\/lib\/modules\b|\bfind\b.{0,200}\bnvidia\S{0,8}\.ko|modules\.(?:dep|alias))/;
const search = /^(?:sudo )?(?:ls|find|dpkg|dpkg-query|rpm|apt|apt-cache|dnf|yum|zypper|pacman|locate|grep)\b/;
const nothing = /^\(?(?:no output|nothing|empty|none)\)?\.?$/i;

export const kernelHeaders: Parser = {
  id: 'kernel-headers',
  literals: ['linux-headers', 'kernel-devel', 'kernel-headers', 'kernel-default-devel', '/lib/modules'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const { command } = block;
      const headers = headerNames.test(command);
      if (
        !search.test(command) ||
        !(headers || (moduleFiles.test(command) && /nvidia|build|source|\$\(uname/.test(command)))
      )
        continue;
      const output = filled(block.output);
      const empty = output.every((line) => nothing.test(line.clean.trim()) || line.clean.trim() === '0');
      const refused = output.find((line) =>
        /No such file or directory|is not installed|no packages found|no matching/i.test(line.clean),
      );
      if (!empty && refused === undefined) continue;
      sink.add('os.kernel-headers-absent', headers ? 'headers of the running kernel' : 'files of the running kernel', [
        block.prompt,
        ...output.slice(0, 2),
      ]);
    }
  },
};
