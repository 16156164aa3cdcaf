// What it means that a program which carries the probe failed, in one line: what was tried, why it failed, what helps.
// The messages are those of OpenSSH 9, Docker 20 to 28, Podman 4, kubectl 1.20 to 1.32 and Slurm 22 to 24.
import type { Ran } from './run.ts';
import { seconds } from './frame.ts';

/** One row: a text of standard error, and what it means; `$1` stands for what the brackets took. */
interface Meaning {
  readonly pattern: RegExp;
  readonly say: string;
}

const ssh: readonly Meaning[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    say: 'the host key has changed since it was last seen; somebody has to confirm the new one (ssh-keygen -R removes the old one)',
  },
  {
    pattern: /Host key verification failed|No \S{1,20} host key is known for/,
    say: 'the host key is not known; connect once by hand and confirm it',
  },
  {
    pattern: /Permission denied \(([^)\n]{1,100})\)/,
    say: 'permission denied: none of the keys was accepted (asked for: $1)',
  },
  { pattern: /Permission denied/, say: 'permission denied' },
  { pattern: /Too many authentication failures/, say: 'permission denied: too many keys were offered' },
  { pattern: /Access denied by pam_slurm|pam_slurm_adopt/, say: 'only a user with a job on that node may log in' },
  { pattern: /Connection refused/, say: 'connection refused: no ssh server listens there' },
  { pattern: /Could not resolve hostname \S{1,260}/, say: 'the name of the host cannot be resolved' },
  { pattern: /No route to host|Network is unreachable/, say: 'no route to the host' },
  {
    pattern: /Connection timed out|Operation timed out|Connection to \S{1,260} timed out/,
    say: 'no answer: the connection timed out',
  },
  { pattern: /Connection (?:closed|reset) by/, say: 'the ssh server closed the connection' },
  {
    pattern: /kex_exchange_identification|banner exchange/,
    say: 'what answers there is no ssh server, or it takes no more connections',
  },
  {
    pattern: /Bad owner or permissions on (\S{1,300})/,
    say: 'ssh refuses its own configuration: owner or permissions of $1',
  },
  {
    pattern: /(?:Bad configuration option|terminating, \d{1,5} bad configuration).{0,200}/,
    say: 'ssh does not understand its configuration',
  },
];

const noShell: readonly Meaning[] = [
  {
    pattern:
      /exec: "(?:\/bin\/)?sh": (?:executable file not found|stat)|"?(?:\/bin\/)?sh"?: (?:no such file or directory|not found)|executable file `?sh'? not found|exec failed.{0,200}no such file or directory/i,
    say: 'it has no shell',
  },
];

const engine: readonly Meaning[] = [
  {
    pattern:
      /permission denied while trying to connect to the \S{1,40} ?(?:daemon|API)|dial unix \S{1,200}: connect: permission denied/i,
    say: 'permission denied: this user may not use the container engine',
  },
  {
    pattern:
      /Cannot connect to the Docker daemon|failed to connect to the docker API|unable to connect to Podman|cannot access containerd socket|connect: (?:connection refused|no such file or directory)/i,
    say: 'the container engine does not run here, or its socket is elsewhere',
  },
  {
    pattern: /No such container|no container with name or ID|no such object|could not find container|NotFound desc/i,
    say: 'no such container',
  },
  { pattern: /is not running|container state improper|CONTAINER_EXITED/i, say: 'the container does not run' },
  { pattern: /is paused/i, say: 'the container is paused' },
  { pattern: /is restarting/i, say: 'the container is restarting' },
];

const kubectl: readonly Meaning[] = [
  { pattern: /\((NotFound)\): (\S{1,80}) "([^"\n]{1,253})" not found/, say: '$2 $3: not found' },
  { pattern: /\(NotFound\): (.{1,200})/, say: 'not found: $1' },
  {
    pattern: /error: context "([^"\n]{1,200})" does not exist|context was not found for specified context: (\S{1,200})/,
    say: 'the kubeconfig has no context $1$2',
  },
  {
    pattern: /You must be logged in to the server|\(Unauthorized\)/,
    say: 'not logged in: the cluster does not accept these credentials',
  },
  {
    pattern: /getting credentials: .{0,200}|exec plugin|executable \S{1,200} not found/,
    say: 'the credentials program of the kubeconfig failed',
  },
  { pattern: /x509: (.{1,200})/, say: 'the certificate of the cluster is not trusted: $1' },
  {
    pattern: /The connection to the server (\S{1,260}) was refused/,
    say: 'connection refused: no API server listens at $1',
  },
  {
    pattern: /dial tcp[^\n]{0,260}: connect: connection refused/,
    say: 'connection refused: no API server listens there',
  },
  { pattern: /no such host/, say: 'the name of the API server cannot be resolved' },
  {
    pattern: /i\/o timeout|TLS handshake timeout|context deadline exceeded|Client\.Timeout exceeded/,
    say: 'the API server does not answer',
  },
  {
    pattern:
      /no configuration has been provided|stat \S{1,300}: no such file or directory|Missing or incomplete configuration info/,
    say: 'there is no kubeconfig',
  },
  { pattern: /container not found \("([^"\n]{1,100})"\)/, say: 'the container $1 does not run' },
  { pattern: /container (\S{1,100}) is not valid for pod/, say: 'the pod has no container $1' },
  {
    pattern: /cannot exec (?:in|into) a (?:container in a )?(?:completed|deleted|stopped).{0,160}/,
    say: 'the pod has ended',
  },
  { pattern: /pod \S{1,253} does not have a host assigned/, say: 'the pod is on no node yet' },
  { pattern: /unable to upgrade connection: (.{1,160})/, say: 'the node refuses the connection: $1' },
  { pattern: /error dialing backend: (.{1,200})/, say: 'the API server does not reach the kubelet of the node: $1' },
  { pattern: /the server doesn't have a resource type "([^"\n]{1,100})"/, say: 'the cluster does not know $1' },
];

const slurm: readonly Meaning[] = [
  { pattern: /Invalid node name/i, say: 'Slurm knows no such node' },
  {
    pattern: /Invalid job id|Job\/step already completing or completed|Expired job|No job found/i,
    say: 'Slurm knows no such job, or it has ended',
  },
  { pattern: /node \S{1,130} not found/i, say: 'Slurm knows no such node' },
  {
    pattern: /Unable to contact slurm controller|Unable to establish controller|Connection refused/i,
    say: 'the Slurm controller does not answer',
  },
  {
    pattern: /Could not establish a configuration source|Unable to process configuration|slurm\.conf/i,
    say: 'there is no Slurm configuration here',
  },
  { pattern: /munge|Munge|credential|Protocol authentication error/i, say: 'munge does not vouch for this user' },
  {
    pattern: /Required node not available|DOWN, DRAINED or reserved|Nodes required for job are/i,
    say: 'the node is down, drained or reserved',
  },
  {
    pattern:
      /Unable to allocate resources: Immediate execution impossible|Requested nodes are busy|Resources temporarily unavailable/i,
    say: 'the node is busy',
  },
  { pattern: /Requested node configuration is not available/i, say: 'the node does not offer what a step needs' },
  {
    pattern: /Invalid account|Invalid qos|Invalid partition|partition .{0,80}(?:invalid|not available)/i,
    say: 'Slurm refuses the account or partition',
  },
  { pattern: /Access\/permission denied|User's group not permitted/i, say: 'Slurm does not permit it' },
  { pattern: /has been revoked|time limit|TIME LIMIT/i, say: 'Slurm ended the step at its time limit' },
  { pattern: /Unable to create step|Unable to confirm allocation/i, say: 'Slurm does not start a step there' },
];

/** The programs whose messages are known. */
export type Carrier = 'ssh' | 'engine' | 'kubectl' | 'slurm' | 'shell';

const tables: Readonly<Record<Carrier, readonly Meaning[]>> = { ssh, engine, kubectl, slurm, shell: [] };

/**
 * One line that says why a program which carries the probe failed.
 * @param carrier whose messages are looked for
 * @param program its name, as it is said where it is missing
 * @param limitMs the limit it ran under
 */
export function failureOf(carrier: Carrier, program: string, ran: Ran, limitMs: number): string {
  switch (ran.ended) {
    case 'missing':
      return `${program} is not installed here, or not in PATH`;
    case 'not-run':
      return `${program} could not be started: ${firstLine(ran.stderr) ?? 'no reason given'}`;
    case 'timeout':
      return `no answer within ${seconds(limitMs)}${behind(firstLine(ran.stderr))}`;
    case 'stopped':
      return 'it was stopped';
    case 'too-much':
      return 'it printed more than 64 MiB, and nothing of a probe';
    case 'exit':
  }
  const said = errorsOf(ran);
  if (carrier === 'kubectl') {
    const denied = forbidden(said);
    if (denied !== null) return denied;
  }
  if (/^probe\.sh: /m.test(said)) return /^probe\.sh: (.{1,300})/m.exec(said)![1]!;
  if (hasNoShell(ran)) return 'it has no shell';
  for (const { pattern, say } of tables[carrier]) {
    const match = pattern.exec(said);
    if (match !== null) return say.replaceAll(/\$(\d)/g, (_, place: string) => match[Number(place)] ?? '');
  }
  const line = firstLine(said);
  if (ran.exit === 127 || ran.exit === 126) return `it has no shell that runs${behind(line)}`;
  return `${program} ended with exit status ${ran.exit ?? 'unknown (a signal)'}${behind(line) || ' and said nothing'}`;
}

/** What a program said of its failure: Docker prints some of it to standard output. */
function errorsOf(ran: Ran): string {
  return ran.stdout.includes('@culprit-probe ') ? ran.stderr : `${ran.stderr}\n${ran.stdout.slice(0, 4096)}`;
}

/** True where a container lacks the shell that was to be run in it. */
export function hasNoShell(ran: Ran): boolean {
  return ran.ended === 'exit' && ran.exit !== 0 && noShell.some(({ pattern }) => pattern.test(errorsOf(ran)));
}

/** The first sentence that a Forbidden of the API holds, as what is missing: verb, resource, group, namespace. */
function forbidden(stderr: string): string | null {
  if (!stderr.includes('(Forbidden)') && !/is forbidden: User/.test(stderr)) return null;
  const match =
    /User "([^"\n]{1,253})" cannot (\w{1,20}) resource "([\w./-]{1,120})" in API group "([^"\n]{0,120})"(?: in the namespace "([^"\n]{1,80})"| at the (cluster) scope)?/.exec(
      stderr,
    );
  if (match === null) return `forbidden by the cluster: ${firstLine(stderr) ?? ''}`;
  const [, user, verb, resource, group, namespace] = match;
  const where = namespace === undefined ? 'in the whole cluster' : `in the namespace ${namespace}`;
  const name = group === '' ? resource! : `${resource!}.${group!}`;
  return `forbidden: ${user!} may not ${verb!} ${name} ${where}; the smallest role that is enough: docs/guide/check-rbac.md`;
}

/** The first line of standard error that is no warning. */
function firstLine(stderr: string): string | null {
  const lines = stderr.split('\n').map((line) => line.trim());
  const line =
    lines.find((each) => each !== '' && !/^(?:Warning|W\d{4} |Defaulted container|@{5,}|\*{5,})/.test(each)) ??
    lines.find((each) => each !== '');
  return line === undefined ? null : line.slice(0, 300);
}

function behind(text: string | null): string {
  return text === null ? '' : `: ${text}`;
}
