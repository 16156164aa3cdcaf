import type { Scope } from '../model/document.ts';

// How people paste: prompts with commands, `# ` remarks between the outputs, headings that say which machine speaks.

/** What follows `# ` in the output of programs that print such lines themselves. */
const printedHash =
  /^#(?:$|\S| {2,}| ?(?:gpu|Idx|HELP|TYPE|EOF|Date|Entity|nThread|Using devices|Rank|SMs|Out of bounds|Avg bus|size|Collective|packages in environment|platform|Generated|R\d{2} \(release\)|This file|To (?:activate|deactivate)|env |created |conda )\b)/;

/** True for a line that a person put between outputs: `# ` and words. */
export function isRemark(text: string): boolean {
  const start = text.trimStart();
  // === libnccl 2.21.5 (image) ===, --- node b ---, a heading between two pastes
  // (a rule of dashes below the heads of a table is none).
  if (/^(?:={3,8}|-{3,8}|\*{3,8}) [^=*]{2,120} (?:={3,8}|-{3,8}|\*{3,8})$/.test(start) && /[A-Za-z\d]/.test(start))
    return !/\b(?:passed|failed|errors?|warnings?|starts|summary|FAILURES|Info)\b/.test(start);
  if (!start.startsWith('#')) return false;
  if (start.startsWith('# ') && headingWords.test(start)) return true;
  return !printedHash.test(start);
}

const headingWords = /^# ?(?:host|node|container|in the container|inside|image|pod|vm|guest|laptop|server|machine)\b/i;

/** The machine that a remark says the lines below come from; null where it does not say. */
export function scopeOfRemark(text: string): Scope | null {
  const words = text.replace(/^[#\s=*-]{1,10}/, '').toLowerCase();
  if (words.length > 160) return null;
  if (
    /\b(?:that works|works fine|working|second host|other host|another (?:host|node|machine)|healthy|good) ?(?:node|host|machine)?\b/.test(
      words,
    ) &&
    !/\bdoes not work|not working|fails?\b/.test(words)
  ) {
    if (/\b(?:host|node|machine|container|box|server)\b/.test(words)) return 'other-host';
  }
  if (/^(?:after|later|once|now|with the fix|fixed)\b/.test(words)) return staysBroken.test(words) ? null : 'after-fix';
  if (
    /^(?:(?:the )?(?:host|node|machine|server|hypervisor|worker))\b/.test(words) ||
    /\bon the (?:host|node)\b/.test(words)
  )
    return 'host';
  if (/^(?:in|inside|within) (?:the |a )?(?:container|pod|docker)\b/.test(words) || /^(?:container|pod)\b/.test(words))
    return 'container';
  if (/^(?:the )?(?:image|dockerfile|containerfile)\b/.test(words)) return 'image';
  return null;
}

/** What comes after a change that did not help, or after the event that broke it, is no picture of the fixed stack. */
const staysBroken =
  /\b(?:the same|same error|still|again|no (?:change|difference|effect)|does not|did not|not help|fails?|failed|broken|lost|gone|daemon[- ]reload|suspend|resume|sleep|wak(?:e|ing)|woke|crash|(?:apt|dnf|yum|unattended|package|kernel|driver) up(?:grade|date))/;

const shellPrompts: readonly RegExp[] = [
  // user@host:~/dir$ cmd, root@1a2b3c4d5e6f:/# cmd, (env) user@host:~$ cmd
  /^(?:\([\w.-]{1,60}\) ?)?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\s$#%>]{0,200} ?[$#%>] ?(?=\S)/,
  // [user@host dir]$ cmd
  /^(?:\([\w.-]{1,60}\) ?)?\[[\w.-]{1,64}@[\w.-]{1,64} [^\]]{1,200}\] ?[$#] ?/,
  // $ cmd, % cmd
  /^(?:\([\w.-]{1,60}\) ?)?[$%❯] (?=\S)/,
  // sh-5.1# cmd, bash-4.2$ cmd
  /^(?:sh|bash|zsh|dash)-\d{1,2}\.\d{1,2}[$#] ?(?=\S)/,
  // PS C:\work> cmd, C:\work>cmd
  /^(?:PS )?[A-Z]:\\[^<>|"]{0,200}> ?(?=\S)/,
  // (venv) PS C:\\work> cmd
  /^\([\w.-]{1,60}\) (?:PS )?[A-Z]:\\[^<>|"]{0,200}> ?(?=\S)/,
  // /workspace# cmd, ~/src$ cmd, / # cmd of a container's own shell
  /^(?:~|\/)[\w./~-]{0,120} ?[$#] (?=\S)/,
  // host:~ # cmd, host:/srv $ cmd
  /^[A-Za-z][\w.-]{0,62}:(?:~|\/)[\w./~-]{0,120} ?[#$] (?=\S)/,
  // host$ cmd, node$ cmd, pod# cmd, shell> cmd: a machine or a shell by its name alone
  /^(?:[a-z][\w.-]{0,30}[$#]|shell>) (?=[\w./~"'({$-])/,
  // box$ cmd, container$ cmd, root# cmd
  /^(?:[A-Za-z][\w.-]{0,31}\$|(?:host|node|root|container|pod|server|worker|login)[\w.-]{0,16}#) (?=\S)/,
  // second line of a two-line prompt: └─$ cmd, ╰─❯ cmd
  /^[└╰][─-]{1,3} ?[$#❯>λ]{1,2} (?=\S)/,
  // oh-my-zsh: ➜  dir git:(main) cmd
  /^➜ {1,2}\S{1,80} /,
];
const promptEnd = /[$#%>❯➜]/;
/** What a CI server or `kubectl logs --timestamps` puts before every line, the commands among them. */
const stamped = /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)\]? (?=\S)/;
/** Prompts without a sign of their own: `(env) [~/dir] cmd`, `[node] cmd`, `#> cmd`. They count before known commands only. */
const weakPrompt = /^(?:\([\w.-]{1,60}\) ?)?(?:\[[\w.:~/@-]{1,80}\](?: [$#%])?|#>|>>|==>) (?=\S)/;
const pythonPrompts = /^(?:>>> |In \[\d{1,5}\]: )(?=\S)/;

/** Words at which a remark, a notebook's `!` or a trace's `+` is taken for a command; prose may begin with the same word. */
const commandWords = new RegExp(
  `^(?:sudo (?=\\S)|(?:${[
    'nvidia-smi(?= -|$| [|;&>]| (?:topo|nvlink|mig|dmon|pmon)\\b)',
    'nvidia-(?:container-cli|ctk|debugdump|persistenced|modprobe)(?= |$)',
    '(?:cat|head|tail|ls|ll|find|stat|readlink|realpath|file) (?=[-~/.$*"\']|\\S{1,80}[./])',
    '(?:lsmod|dmesg|uname|env|printenv|free|lspci|ldconfig|ibstat|ibv_devinfo|mokutil|dkms|journalctl)(?= -|$| [|;&>]| status\\b)',
    'modinfo (?=-|\\w{1,40}$|\\w{1,40} \\|)',
    '(?:modprobe|insmod|rmmod|ldd|strings|fuser|lsof) (?=[-~/.]|\\w{1,40}(?:$| [|;&-]))',
    'python3? (?=-|\\S{1,120}\\.py\\b)',
    '(?:pip3?|uv pip|conda|mamba) (?:list|show|freeze|install|uninstall|info|env|create|activate|check)\\b',
    '(?:kubectl|oc) (?:-n \\S{1,60} )?(?:get|describe|logs|exec|apply|delete|top|edit|patch)\\b',
    '(?:docker|podman|nerdctl|crictl) (?:run|exec|inspect|info|ps|logs|compose|pull|images|start|stop|version|build|create)\\b',
    '(?:apptainer|singularity|enroot) (?:exec|run|shell|start|inspect)\\b',
    '(?:srun|sbatch|salloc) (?=-)|s(?:info|acct|control|queue)(?= -|$| show\\b)',
    '(?:ncu|nsys|cuobjdump|nvdisasm|readelf|objdump|patchelf|dcgmi) (?=-|(?:profile|stats|export|diag|dmon|health|discovery)\\b|[./]\\S)',
    'nvcc (?=-|\\S{1,120}\\.cu\\b)|(?:gcc|g\\+\\+|clang) (?=-)',
    'systemctl (?:status|restart|start|stop|is-active|enable|disable|daemon-reload|show|list-units)\\b',
    'rpm -q|dpkg(?:-query)? -|apt(?:-get|-cache)? (?:list|install|remove|purge|policy|update|upgrade)\\b|(?:dnf|yum) (?:list|install)\\b',
    'numactl (?=-)|df (?=-|/)|ulimit (?=-)|echo (?=["\'$])|export (?=\\w{1,60}=)|[ef]?grep (?=-|["\'])|getenforce$|sysctl (?=-|\\w)',
    './(?=\\w)|deviceQuery$|cd (?=[~/.])|which (?=\\S{1,60}$)|source (?=\\S{1,200}$)',
  ].join('|')}))`,
);

/**
 * The command of a prompt line, without the prompt; null where the line is none.
 * @param bare true for the rest of a remark, where only a known command counts
 */
export function commandAt(text: string, bare: boolean): string | null {
  if (bare) return commandWords.test(text) && !/^\S{1,40},/.test(text) ? withoutComment(text) : null;
  const weakly = barePrompt(text);
  if (weakly !== null) return withoutComment(weakly);
  const first = text.charCodeAt(0);
  // Most lines of a log hold no sign that a prompt ends with.
  if (first !== 0x49 && first !== 0x21 && first !== 0x2b && !promptEnd.test(text)) return null;
  const python = pythonPrompts.exec(text);
  if (python !== null) {
    const code = text.slice(python[0].length).trim();
    return code.startsWith('!') ? withoutComment(code.slice(1)) : `python: ${code}`;
  }
  // A notebook's shell escape and the trace of `set -x`.
  const marked = /^(?:!|\+{1,3} )(?=\S)/.exec(text);
  if (marked !== null && commandWords.test(text.slice(marked[0].length)))
    return withoutComment(text.slice(marked[0].length));
  for (const pattern of shellPrompts) {
    const match = pattern.exec(text);
    if (match !== null) return withoutComment(text.slice(match[0].length));
  }
  return null;
}

/** The known command behind a prompt that could be other text, or behind a time and a prompt; null where there is none. */
function barePrompt(text: string): string | null {
  const first = text.charAt(0);
  if (!(first >= '0' && first <= '9') && !'[(#>='.includes(first)) return null;
  const time = stamped.exec(text);
  const rest = time === null ? text : text.slice(time[0].length);
  const weak = weakPrompt.exec(rest);
  if (weak !== null && commandWords.test(rest.slice(weak[0].length))) return rest.slice(weak[0].length);
  if (time === null) return null;
  const sign = /^(?:\$|\+{1,3}|\S{1,64}[$#]) (?=\S)/.exec(rest);
  return sign !== null && commandWords.test(rest.slice(sign[0].length)) ? rest.slice(sign[0].length) : null;
}

/**
 * The command of a section of `nvidia-bug-report.log`, whose sections begin with a rule of `_` and then
 * `*** /etc/issue` or `/usr/bin/lspci -nn`.
 * @returns null where the line names neither a file that is shown nor a command
 */
export function commandOfSection(text: string): string | null {
  const file = /^\*\*\* (\/[^\s:*]{1,300})$/.exec(text.trim());
  if (file !== null) return `cat ${file[1]!.replaceAll('/./', '/')}`;
  const program = /^(?:\/(?:usr\/)?(?:local\/)?s?bin\/)(?=[a-z])/.exec(text);
  if (program !== null) return text.slice(program[0].length).trim();
  return commandAt(text, true);
}

/** The command without what its writer noted behind it. */
function withoutComment(text: string): string {
  const at = text.search(/\s{2}# \S/);
  return (at > 0 ? text.slice(0, at) : text).trim();
}

/** A command that changes the stack, and another one in the same line that shows the outcome. */
const changeThenMore =
  /\b(?:modprobe|insmod|nvidia-modprobe|pip3? install|conda install|apt(?:-get)? install|dnf install|systemctl (?:re)?start|export \w{1,40}=)[^;&|]{0,200}(?:;|&&) {0,3}(?!(?:sudo )?(?:dmesg|journalctl|pip3? list|echo))\S/;

/** Which machine a command's output speaks of; null where the prompt and the command do not tell. */
export function scopeOfCommand(line: string, command: string): Scope | null {
  if (changeThenMore.test(command)) return 'after-fix';
  if (/^(?:sudo )?(?:docker(?:[ -]compose)?|podman|nerdctl|kubectl|oc|crictl)\b.{0,200}\b(?:exec|run)\b/.test(command))
    return 'container';
  if (/^(?:sudo )?(?:docker(?:[ -]compose)?|podman|nerdctl|kubectl|oc|crictl)\b.{0,80}\blogs\b/.test(command))
    return 'container';
  if (/^(?:sudo )?(?:apptainer|singularity|enroot) (?:exec|run|shell|start)\b/.test(command)) return 'container';
  if (/^(?:\S{0,64}@)?(?:[0-9a-f]{12}|\S{0,30}(?:container|pod)\S{0,30})[: ]/.test(line)) return 'container';
  // A login shell of root begins in its home; one that a container engine starts begins in the root folder.
  if (/^root@[\w.-]{1,64}:\/# /.test(line)) return 'container';
  if (
    /^(?:sudo )?(?:dmesg|journalctl|modprobe|lsmod|modinfo|dkms|mokutil|docker|podman|kubectl|systemctl|scontrol)\b/.test(
      command,
    )
  )
    return 'host';
  // A word in brackets before the sign says where it was typed, where it is not an environment of Python.
  if (/^\((?:in |inside )?(?:the )?(?:container|pod|ctr)\) ?[$#%] /i.test(line)) return 'container';
  if (/^\((?:on )?(?:the )?(?:host|node)\) ?[$#%] /i.test(line)) return 'host';
  if (/^(?:in-)?(?:container|pod)[\w.-]{0,16}[$#] /.test(line)) return 'container';
  if (/^\S{0,64}@\S{0,30}host\S{0,30}[: ]/.test(line) || /^(?:host|node)[\w.-]{0,16}[$#] /.test(line)) return 'host';
  if (/^(?:\w{0,20}host|node|gpu-?node|worker|hypervisor|baremetal)\w{0,10}[$#] /.test(line)) return 'host';
  if (/^(?:ctr|cont|container|pod|docker|vm|lxc|guest|jail)\w{0,10}[$#] /.test(line)) return 'container';
  return null;
}
