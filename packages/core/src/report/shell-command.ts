/**
 * True of what a shell runs, false of code that belongs into a program or a file: a call with its arguments, a launch of
 * a kernel, an option of a named program, a line of a Dockerfile. Quoted parts and comments do not count.
 */
export function isShellCommand(command: string): boolean {
  const bare = unquoted(command);
  if (/[A-Za-z0-9_]\(/.test(bare) || (bare.includes('<<<') && bare.includes('>>>'))) return false;
  const [first = ''] = bare.trimStart().split(/\s/, 1);
  return !/[:,]$/.test(first) && !/^(?:ENV|RUN|FROM|COPY|ARG)$/.test(first);
}

/** What stands outside quotes, up to a comment. A call may hold quotes, so that they are left as empty ones. */
function unquoted(command: string): string {
  let bare = '';
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const sign = command.charAt(at);
    if (quote !== '') {
      if (sign === quote) quote = '';
      continue;
    }
    if (sign === '#' && (at === 0 || /\s/.test(command.charAt(at - 1)))) break;
    if (sign === '"' || sign === "'") quote = sign;
    else bare += sign;
  }
  return bare;
}
