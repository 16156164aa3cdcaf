import type { FactId, FactValue } from '../model/facts.ts';

/** Exceptions by which a rank tells that another one went away, or that a launcher ends it. */
const types =
  /(?:^|[.:])(?:DistBackendError|DistNetworkError|DistStoreError|ChildFailedError|SignalException|ActorDiedError|RayActorError|ActorUnavailableError|WorkerCrashedError|NodeDiedError|RendezvousConnectionError|RendezvousTimeoutError|RendezvousClosedError|ConnectionResetError|BrokenPipeError|EOFError|KeyboardInterrupt|CalledProcessError|TrainingFailedError|ProcessExitedException|ProcessRaisedException|ncclRemoteError)$/;

/**
 * An exception by which one process only says that the reason stands elsewhere: the front end of a server, a parent of
 * workers.
 */
const pointsElsewhere =
  /\bsee (?:the )?(?:root cause|stack ?trace|error messages?|errors?|logs?|traceback)\b.{0,20}\b(?:above|below|root cause)|\bFailed core proc\(s\)|\bcheck (?:the )?(?:logs?|errors?|messages?|traceback) above\b/i;

const words: readonly RegExp[] = [
  /Connection (?:closed|reset) by (?:remote )?peer|Broken pipe|Socket (?:is )?closed|closed by remote peer/i,
  /remote process exited or there was a network error|ncclRemoteError/,
  /NCCL communicator was aborted on rank|Watchdog caught collective operation timeout|collective operation timeout/i,
  /\bclients joined\b|store->get\(|wait timeout after \d|Timed out (?:initializing|waiting) |Timeout waiting for key|failed to recv, got 0 bytes/i,
  /exited unexpectedly|died unexpectedly|terminated with (?:the following error|exit code|signal)|exit(?:ed)? (?:with )?(?:non-zero )?(?:status|code)|exits with return code/i,
  /^Process \d{1,9} got signal: \d/,
  pointsElsewhere,
];

/** Types that say nothing of their own: what they carry decides. */
const carrying =
  /(?:^|\.)(?:DistBackendError|RayTaskError\S{0,80}|RuntimeError|Error|c10::\w{1,40}|std::runtime_error|OSError|ConnectionError)$/;

/** True for an exception that only tells that another process of the job failed. */
export function followsException(value: FactValue<'program.exception'>): boolean {
  const { type, message } = value;
  if (/unhandled cuda error|uncorrectable|illegal memory|out of memory|No space left/i.test(message)) return false;
  if (types.test(type)) return true;
  return (carrying.test(type) || message === '') && words.some((each) => each.test(message.slice(0, 400)));
}

/** True for an exception that only sends its reader to another one. */
export function onlyPoints(value: FactValue<'program.exception'>): boolean {
  return (
    (carrying.test(value.type) || /EngineDead/.test(value.type)) && pointsElsewhere.test(value.message.slice(0, 400))
  );
}

/**
 * Messages that come from the failure of another rank, whatever else they could mean: the other end is gone, a
 * collective waits, a launcher stops the rest.
 */
export const followingMessages: readonly string[] = [
  'said.pt-watchdog-timeout',
  'said.pt-taking-process-down',
  'said.pt-heartbeat-monitor',
  'said.pt-comm-aborted',
  'said.pt-elastic-child-failed',
  'said.pt-store-timeout',
  'said.pt-nccl-init-timeout',
  'said.nccl-timeout',
  'said.nccl-remote-error',
  'said.nccl-connection-closed-by-peer',
  'said.nccl-proxy-service-failed',
  'said.cuda-context-destroyed',
  'said.cuda-driver-shutting-down',
  'said.slurm-time-limit',
];

/** Messages that follow when their own words say so. */
const sometimes: Readonly<Record<string, RegExp>> = {
  'said.pt-gloo-connect': /closed by peer|reset by peer/i,
  'said.nccl-unhandled-system-error': /./,
  'said.pt-nccl-error-carrier': /remote process|system error|timed? ?out/i,
  'said.nccl-socket-connect-failed': /refused|reset|timed out/i,
};

const following: ReadonlySet<string> = new Set(followingMessages);

/** True for a fact that tells of another failure of the same job and of none of its own. */
export function isFollower(id: FactId, value: unknown): boolean {
  if (id === 'program.exception') return followsException(value as FactValue<'program.exception'>);
  if (id === 'job.end' || id === 'job.collective') return true;
  if (following.has(id)) return true;
  const some = sometimes[id];
  if (some === undefined) return false;
  const captures = Object.values((value as { readonly captures?: Readonly<Record<string, string>> }).captures ?? {});
  return captures.length === 0 ? some.source === '.' : captures.some((each) => some.test(each));
}
