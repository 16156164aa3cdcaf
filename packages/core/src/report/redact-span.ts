/** Kinds of what is masked; a pseudonym is the kind with a number: `host-1`, `gpu-uuid-3`. */
export type MaskKind =
  'user' | 'host' | 'hosts' | 'ip' | 'mac' | 'guid' | 'gpu-uuid' | 'mig-uuid' | 'uuid' | 'serial' | 'email' | 'secret';

/** A part of a text that is to be masked. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: MaskKind;
  /** True where the name is to be masked wherever else it stands, too. */
  readonly learn: boolean;
}

/** Takes what a detector found; `learn` as in `Span`. */
export type Found = (start: number, end: number, kind: MaskKind, learn?: boolean) => void;

/** Finds what is to be masked in one line. Linear in the length of the line. */
export type Detector = (line: string, found: Found) => void;

const pseudonym = /^(?:user|hosts?|ip|mac|guid|gpu-uuid|mig-uuid|uuid|serial|email|secret)-\d{1,7}$/i;

/** True for what a redactor made itself. */
export function isPseudonym(text: string): boolean {
  return text.length <= 24 && pseudonym.test(text);
}

/** Pseudonyms, or what looks like them, in a text. */
export const pseudonyms: RegExp =
  /(?<![\w-])(?:user|hosts?|ip|mac|guid|gpu-uuid|mig-uuid|uuid|serial|email|secret)-\d{1,7}(?![\w-])/gi;

/** Names that say nothing of anybody: they stay even where a user or a host stands. */
export const nobody: ReadonlySet<string> = new Set(
  `root user users ubuntu admin administrator host localhost node nodes container git nvidia shared name none null nobody
  public default ec2-user azureuser jovyan centos debian rocky opc core vagrant runner circleci guest daemon system unknown
  true false self all any ip6-localhost localhost.localdomain n/a na hostname username pod video render docker staff wheel
  oauth2 anonymous x-access-token $oauthtoken aws kubelet kernel master main latest sha256 node_name nodename this other
  another the not is was of on in for and with failed error`.split(/\s+/),
);

/**
 * Words of the trade and of the language: a host or a user may be called so, and is masked where it stands as one, but
 * the word is not masked elsewhere.
 */
export const ordinary: ReadonlySet<string> = new Set(
  `gpu gpus cuda cudnn nccl cublas nvlink nvml driver drivers module modules library libraries toolkit runtime image images
  framework frameworks fabric network hardware application orchestrator slurm kubernetes python python3 torch pytorch
  tensorflow jax vllm triton linux windows server servers client worker workers head login train training trainer test
  tests testing prod production dev devel develop development stage staging build builds ci data dataset datasets model
  models home work workspace scratch project projects code src app apps service services batch job jobs task tasks rank
  ranks process device devices memory error errors warning info debug log logs run runs start stop file files path lib
  bin usr var opt tmp etc proc sys media mnt net local global compute storage cluster clusters control plane controller
  api web proxy gateway registry harbor monitor metrics prometheus grafana backup mail demo example sample lab research
  team group cpu core cores numa socket switch router eth ib h100 h200 a100 v100 b200 gb200 l40s t4 p100 hopper ampere
  volta pascal blackwell ada dgx hgx base common setup install update upgrade check status state version release bash zsh
  step epoch loss batch size value values key keys index count number total used free read write open close send recv
  send receive connect connection timeout abort aborted killed signal exit code line text message reason cause first last
  next previous after before from with without under over when where which while loaded found missing mismatch available
  unavailable support supported unsupported enabled disabled active inactive ready pending running succeeded completed
  unknown success failure failures nvidia-smi nvidia-docker containerd systemd operator developer vendor performance`.split(
    /\s+/,
  ),
);
