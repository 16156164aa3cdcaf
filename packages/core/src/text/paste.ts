import type { Scope } from '../model/document.ts';

// How people paste: prompts with commands, `# ` remarks between the outputs, headings that say which machine speaks.

/** What follows `# ` in the output of programs that print such lines themselves. */
const printedHash =
  /^#(?:$|\S| {2,}| ?(?:gpu|Idx|HELP|TYPE|EOF|Date|Entity|nThread|Using devices|Rank|SMs|Out of bounds|Avg bus|size|Collective|packages in environment|platform|Generated|R\d{2} \(release\)|This file|To (?:activate|deactivate)|env |created |conda )\b)/;

/** True for a line that a person put between outputs: `# ` and words. */
export function isRemark(text: string): boolean {
  const start = text.trimStart();
  if (!start.startsWith('#')) return false;
  if (start.startsWith('# ') && headingWords.test(start)) return true;
  return !printedHash.test(start);
}

const headingWords = /^# ?(?:host|node|container|in the container|inside|image|pod|vm|guest|laptop|server|machine)\b/i;

/** The machine that a remark says the lines below come from; null where it does not say. */
export function scopeOfRemark(text: string): Scope | null {
  const words = text.replace(/^[#\s]{1,8}/, '').toLowerCase();
  if (words.length > 160) return null;
  if (
    /\b(?:that works|works fine|working|second host|other host|another (?:host|node|machine)|healthy|good) ?(?:node|host|machine)?\b/.test(
      words,
    ) &&
    !/\bdoes not work|not working|fails?\b/.test(words)
  ) {
    if (/\b(?:host|node|machine|container|box|server)\b/.test(words)) return 'other-host';
  }
  if (/^(?:after|later|once|now|with the fix|fixed)\b/.test(words)) return 'after-fix';
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
  // oh-my-zsh: ➜  dir git:(main) cmd
  /^➜ {1,2}\S{1,80} /,
];
const pythonPrompts = /^(?:>>> |In \[\d{1,5}\]: )(?=\S)/;

/** Words at which a remark is taken for a root prompt with a command. */
const commandWords =
  /^(?:sudo |nvidia-smi|nvidia-container-cli|nvidia-ctk|nvidia-debugdump|cat |ls |lsmod|modinfo|modprobe|dmesg|journalctl|dkms|ldconfig|ldd |strings |python3? |pip3? |conda |kubectl |docker |podman |nerdctl |crictl |apptainer |singularity |srun |sinfo|scontrol |ncu |nsys |nvcc|mokutil|systemctl |rpm |dpkg |apt |uname|find |echo |env|fuser |lsof |lspci|numactl|ibstat|ibv_devinfo|df |free|ulimit|grep |deviceQuery|\.\/)/;

/**
 * The command of a prompt line, without the prompt; null where the line is none.
 * @param bare true for the rest of a remark, where only a known command counts
 */
export function commandAt(text: string, bare: boolean): string | null {
  if (bare) return commandWords.test(text) && !/^\S{1,40},/.test(text) ? text.trim() : null;
  const python = pythonPrompts.exec(text);
  if (python !== null) return `python: ${text.slice(python[0].length).trim()}`;
  for (const pattern of shellPrompts) {
    const match = pattern.exec(text);
    if (match !== null) return text.slice(match[0].length).trim();
  }
  return null;
}

/** Which machine a command's output speaks of; null where the prompt and the command do not tell. */
export function scopeOfCommand(line: string, command: string): Scope | null {
  if (/^(?:sudo )?(?:docker(?:[ -]compose)?|podman|nerdctl|kubectl|oc|crictl)\b.{0,200}\b(?:exec|run)\b/.test(command))
    return 'container';
  if (/^(?:sudo )?(?:apptainer|singularity|enroot) (?:exec|run|shell|start)\b/.test(command)) return 'container';
  if (/^(?:\S{0,64}@)?(?:[0-9a-f]{12}|\S{0,30}(?:container|pod)\S{0,30})[: ]/.test(line)) return 'container';
  if (
    /^(?:sudo )?(?:dmesg|journalctl|modprobe|lsmod|modinfo|dkms|mokutil|docker|podman|kubectl|systemctl|scontrol)\b/.test(
      command,
    )
  )
    return 'host';
  if (/^\S{0,64}@\S{0,30}host\S{0,30}[: ]/.test(line)) return 'host';
  return null;
}
