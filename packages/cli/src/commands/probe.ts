import { transportsOf } from '@culprit/collect/transports';
import { toolError, usageError } from '../errors.ts';
import { probeArguments } from '../probe-arguments.ts';
import { probeScript } from '../probe-script.ts';
import type { Run } from './command.ts';

export const run: Run = async (call) => {
  if (call.positionals.length > 0)
    throw usageError('bad-value', `probe takes no names, not ${call.positionals[0]!}`, 'culprit probe --run');
  const { args, limitMs } = probeArguments(call.flags);
  if (call.flags['run'] !== true) {
    if (args.length > 0) throw usageError('bad-value', `${args[0]!} goes with --run`, 'culprit probe --run');
    call.output.data(probeScript);
    return 0;
  }
  const [transport] = await transportsOf({});
  const probed = await transport!.probe(probeScript, args, limitMs + 2000);
  call.output.data(probed.text);
  if (probed.failure !== null) throw toolError('not-probed', probed.failure, probed.stderr.trim() || null);
  return 0;
};
