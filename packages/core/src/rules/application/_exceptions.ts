import type { Fact } from '../../model/facts.ts';
import { followsException, isFollower, onlyPoints } from '../../knowledge/followers.ts';
import type { RuleContext } from '../../model/rule.ts';
import { mayFollow, momentOfFact } from '../../text/follows.ts';

type Exception = Fact<'program.exception'>;

/** Words that make an exception a matter of the GPU stack, whoever raised it. */
const stackWords =
  /cuda|cudnn|cublas|cufft|cusparse|cusolver|nccl|nvml|nvidia|nvrtc|nvjitlink|tensorrt|\bgpus?\b|\bdriver\b|\bptx\b|\bxla\b|undefined symbol|shared object|glibc|libc\.so|\bdevice\b|\btriton\b.*(?:compil|ptx)/i;

const downloadWords =
  /connection (?:to \S{1,200} timed out|error|refused|reset)|max retries exceeded|name resolution|failed to resolve|couldn'?t connect to|connect ?timeout|read timed out|too many requests|\b429\b|\b(?:401|403|404|500|502|503|504) (?:client|server) error|gated repo|repository not found|is not a local folder|rate limit|sslerror|proxyerror|localentrynotfound|offline mode/i;
const downloadTypes =
  /(?:Connect|Connection|ReadTimeout|HTTP|Proxy|SSL|MaxRetry|LocalEntryNotFound|RepositoryNotFound|GatedRepo|URL|HfHub)\w{0,30}(?:Error|Timeout)$|^(?:ConnectTimeout|ReadTimeout|Timeout)$/;

const configurationTypes =
  /(?:Validation|Argument|Config|Configuration|Hydra|Omega|MissingMandatory|JSONDecode|Parser|Scanner|Safetensor|UnrecognizedArguments|Usage|BadParameter|NoSuchOption)\w{0,30}(?:Error|Exception)?$/;
const configurationWords =
  /unrecognized argument|arguments? (?:is|are) required|invalid choice|no such option|must be (?:one of|divisible|a |an |>|<|greater|less|set|between|positive|specified)|not supported for (?:the )?model|is not supported by this model|unrecognized (?:model|configuration)|does not (?:appear to have|recognize) (?:a file|this architecture)|model type .{0,60}(?:not|does)|greater than the (?:derived|maximum)|max_model_len|unexpected keyword argument|size mismatch for|error\(s\) in loading state_dict|missing key\(s\) in state_dict|no such file or directory: ['"]?\S{1,200}(?:\.(?:json|ya?ml|toml|safetensors|pt|pth|ckpt|gguf)|model\S{0,40}\.bin)|invalid value|incompatible (?:option|argument)/i;

/** Causes that a signature names where the message is the program's own. */
const programCauses: ReadonlySet<string> = new Set([
  'application-exception',
  'application-configuration',
  'application-download-failed',
  'application-template-error',
]);

/**
 * True when a known message of the stack stands in the text at or before a place; then an exception there is its
 * consequence. What comes after the exception follows from it.
 */
function stackSpoke(context: RuleContext, { order, ...printed }: Pick<Fact, 'order' | 'origin' | 'seen'>): boolean {
  const own = momentOfFact(printed);
  return context.said.some((fact) => {
    if (fact.scope === 'other-host' || fact.order > order) return false;
    const said = momentOfFact(fact);
    if (!mayFollow(said === null ? [] : [said], own === null ? [] : [own])) return false;
    // What tells of another process's failure is no failure of the stack, and may stand before that failure.
    if (isFollower(fact.id, fact.value)) return false;
    // A port that is taken is the program's own, and a full disk, unless it is the shared memory of the container.
    if (fact.id === 'said.pt-address-in-use') return false;
    if (fact.id === 'said.no-space-left' && !fact.seen.some((each) => each.text.includes('shm'))) return false;
    const row = context.knowledge.signatures.find((each) => each.id === fact.value.signature);
    if (row === undefined || row.role === 'benign' || row.role === 'info' || row.role === 'follow-on') return false;
    if (row.severity === 'info' || row.severity === 'warning') return false;
    return !row.causes.some((each) => each.cause !== null && programCauses.has(each.cause));
  });
}

/**
 * A message of the signature table that names the program itself, where nothing of the stack spoke and the program did
 * not go on after it.
 */
export function ownMessage(context: RuleContext, cause: string): Fact<`said.${string}`> | undefined {
  const works = context.all('works');
  const driver = context.said.some((fact) => fact.id === 'said.conda-cuda-needed');
  return context.said.find(
    (fact) =>
      fact.scope !== 'other-host' &&
      !(driver && fact.id === 'said.package-solver-failed') &&
      !works.some((each) => each.order > fact.order && (each.command === fact.command || each.command === null)) &&
      !stackSpoke(context, fact) &&
      context.knowledge.signatures.find((row) => row.id === fact.value.signature)?.causes[0]?.cause === cause,
  );
}

const kernelSource = /(?:^|\.)(?:TypingError|LoweringError|UnsupportedBytecodeError)$/;

export type Kind = 'download' | 'configuration' | 'exception' | 'stack';

/** What an exception is about, by its type and its own words. */
export function kindOf(exception: Exception): Kind {
  const { type, message } = exception.value;
  const short = type.slice(type.lastIndexOf('.') + 1);
  const words = message.slice(0, 4000);
  if (downloadTypes.test(short) || downloadWords.test(words)) {
    // A refused connection between ranks is the network of the job, not a download.
    return /store|rendezvous|c10d|nccl|gloo|rank/i.test(words) ? 'stack' : 'download';
  }
  if (configurationTypes.test(short) || configurationWords.test(words)) return 'configuration';
  // Numba names its target, CUDA, where it cannot compile what stands in the kernel.
  if (kernelSource.test(type)) return 'exception';
  // A sentence about what could happen ("… will cause a CUDA error") does not make it one; the first sentence counts.
  const first = words.split(/(?<=[.!?])\s/, 1)[0] ?? words;
  return stackWords.test(`${short} ${first}`) ? 'stack' : 'exception';
}

/**
 * Exceptions that the program raised and nothing of the stack stands behind: no known message of the stack in the same
 * text.
 */
export function ownExceptions(context: RuleContext): readonly Exception[] {
  return context
    .all('program.exception')
    .filter(
      (fact) =>
        fact.scope !== 'other-host' &&
        !goneOther(fact) &&
        !lostChild(fact, context) &&
        !onlyPoints(fact.value) &&
        !stackSpoke(context, fact) &&
        !wantsDriver(fact, context) &&
        !(kernelSource.test(fact.value.type) && context.said.some((each) => each.id === 'said.numba-nvvm')),
    );
}

/** A solver that finds no way because the machine shows no driver, or an older one: the list below it says so. */
function wantsDriver(fact: Exception, context: RuleContext): boolean {
  return /Unsatisfiable/.test(fact.value.type) && context.said.some((each) => each.id === 'said.conda-cuda-needed');
}

/** An exception by which a process tells that another one is gone, in the words of the stack. */
function goneOther(fact: Exception): boolean {
  const words = `${fact.value.type} ${fact.value.message.slice(0, 2000)}`;
  return metNobody.test(words) || (followsException(fact.value) && stackWordsOfOthers.test(words));
}

/** What a parent raises when the pipe of a child breaks off. */
const brokenPipe = /(?:^|\.)(?:EOFError|ConnectionResetError|BrokenPipeError|BrokenProcessPool|TerminatedWorkerError)$/;

/** A parent that only finds that its child is gone, where the text says that the child was ended. */
function lostChild(fact: Exception, context: RuleContext): boolean {
  if (!brokenPipe.test(fact.value.type)) return false;
  if (/(?:BrokenProcessPool|TerminatedWorkerError)$/.test(fact.value.type)) return true;
  return context
    .all('program.exit')
    .some(({ value, order }) => order < fact.order && (value.code < 0 || (value.code > 128 && value.code < 160)));
}

const stackWordsOfOthers = /gloo|nccl|c10d|store->get|clients joined|Dist(?:Backend|Network|Store)Error/i;
/** Nobody was at the meeting point, in the launcher's own words. */
const metNobody = /client socket has timed out|\bRendezvous(?:Connection|Timeout|Closed)Error\b/;

/** The last exception: the one that ended the program. */
export function lastOf(exceptions: readonly Exception[], kind: Kind): Exception | undefined {
  return exceptions.filter((fact) => kindOf(fact) === kind).at(-1);
}

/** One line of an exception for a message. */
export function nameOf(exception: Exception): string {
  const { type, message } = exception.value;
  const first = (message.split('\n', 1)[0] ?? '').trim();
  return first === '' ? type : `${type}: ${first.length > 160 ? `${first.slice(0, 157)}…` : first}`;
}
