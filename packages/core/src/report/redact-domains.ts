import type { Detector } from './redact-span.ts';
import { nobody } from './redact-span.ts';

/** Domains of public projects, vendors and services: they tell nothing of anybody. */
const publicDomains: readonly string[] =
  `nvidia.com nvcr.io nvidia.github.io github.com github.io githubusercontent.com githubassets.com gitlab.com bitbucket.org
  docker.io docker.com quay.io ghcr.io gcr.io k8s.io x-k8s.io kubernetes.io cncf.io kubeflow.org ray.io containerd.io
  opencontainers.org podman.io pytorch.org tensorflow.org python.org pypi.org pythonhosted.org anaconda.org anaconda.com
  conda.io continuum.io conda-forge.org huggingface.co hf.co wandb.ai wandb.com vllm.ai openai.com anthropic.com ubuntu.com
  canonical.com launchpad.net debian.org redhat.com centos.org rockylinux.org almalinux.org fedoraproject.org suse.com
  opensuse.org kernel.org freedesktop.org gnu.org llvm.org intel.com amd.com arm.com microsoft.com azure.com google.com
  googleapis.com googlesource.com cloud.google.com mellanox.com openfabrics.org open-mpi.org openmpi.org mpich.org
  openucx.org schedmd.com slurm.net apache.org mozilla.org w3.org ietf.org rfc-editor.org oasis-open.org json-schema.org
  npmjs.com npmjs.org nodejs.org rust-lang.org crates.io golang.org go.dev jetbrains.com stackoverflow.com
  stackexchange.com wikipedia.org readthedocs.io readthedocs.org medium.com arxiv.org nccl.ai prometheus.io grafana.com
  grafana.net helm.sh letsencrypt.org volcano.sh public.ecr.aws modelscope.cn paddlepaddle.org paddlepaddle.org.cn
  mxnet.io jax.dev cupy.dev rapids.ai xgboost.ai triton-lang.org lightning.ai spack.io easybuild.io elrepo.org rpmfusion.org
  eessi.io blender.org svc.cluster.local cluster.local amazonaws.com docs.aws.amazon.com aws.amazon.com amazon.com no-color.org linuxfoundation.org
  systemd.io semver.org`.split(/\s+/);

/** Of these only the names themselves are public: below them stand the names of customers and machines. */
const bareOnly: ReadonlySet<string> = new Set([
  'amazonaws.com',
  'svc.cluster.local',
  'cluster.local',
  'azure.com',
  'grafana.net',
]);
const publicSet: ReadonlySet<string> = new Set(publicDomains);

/** True for names of public projects, vendors and services. */
export function isPublic(name: string): boolean {
  const lower = name.toLowerCase();
  const labels = lower.split('.');
  for (let at = 0; at < labels.length; at++) {
    const rest = labels.slice(at).join('.');
    if (publicSet.has(rest)) return at === 0 || !bareOnly.has(rest);
  }
  return false;
}

/** Last labels that hardly stand at the end of anything but a domain. */
const sure: ReadonlySet<string> = new Set(
  `com net org edu gov mil biz corp lan intranet localdomain arpa onion cloud hpc de uk fr ch eu cn jp kr nl se fi dk es cz be
  ru ca au nz br tw hk sg gr hu ro ie za mx tr ua li lt lv ee sk hr bg`.split(/\s+/),
);
/** Last labels that end names in programs and files, too: asked for three parts, one of them with a digit or a hyphen, or for a port. */
const unsure: ReadonlySet<string> = new Set(
  `io ai dev app tech local internal intra home cluster svc int info online site test example invalid private us in it no at
  il pl pt rs si lu is aws azure host systems network services name`.split(/\s+/),
);

/** Last labels that are ends of file names, too. */
const files: ReadonlySet<string> = new Set('rs pl pt name in no it at is si us il'.split(' '));

const names =
  /(?<![\w.@$-])(?:[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62})\.){1,8}(?<top>[A-Za-z]{2,12})(?![\w(]|\.[A-Za-z0-9_])/g;

/** Names with a domain: machines, registries, sites. */
export const domainsIn: Detector = (line, found) => {
  if (line.indexOf('.') < 0) return;
  for (const match of line.matchAll(names)) {
    const top = match.groups?.['top']?.toLowerCase() ?? '';
    const name = match[0];
    const plain = sure.has(top);
    if (!plain && !unsure.has(top)) continue;
    if (isPublic(name)) continue;
    const labels = name.split('.');
    if (labels.length === 2 && labels[0]!.toLowerCase() === 'localhost') continue;
    if (labels.every((label, at) => at === labels.length - 1 || /^\d+$/.test(label))) continue;
    const after = line.slice(match.index + name.length, match.index + name.length + 8);
    // lib.rs:391: a file and its line
    const port = !files.has(top) && /^:\d{2,5}/.test(after);
    if (plain) {
      // torch.de, self.ch: two short words of a program
      if (top.length === 2 && labels.length === 2 && !/[\d-]/.test(labels[0]!) && !port && !/^[/:]/.test(after))
        continue;
      found(match.index, match.index + name.length, 'host', true);
      continue;
    }
    const shaped =
      labels.length >= 3 &&
      labels.slice(0, -1).some((label) => /[\d-]/.test(label)) &&
      !labels.some((label) => /^\d/.test(label) && labels.indexOf(label) > 0 && /^\d+$/.test(label));
    if (
      shaped ||
      port ||
      (/^\//.test(after) && !files.has(top) && labels[0]!.length > 2) ||
      (labels.length >= 3 && /^(?:internal|local|lan|intra|private|cluster)$/.test(top))
    )
      found(match.index, match.index + name.length, 'host', true);
  }
};

const urls = /(?<![A-Za-z0-9+.-])(?<scheme>[a-z][a-z0-9+.-]{1,24}):\/\/(?<rest>[^\s"'<>`\\^{}|]{1,4000})/gi;
const containers =
  /^(?:containerd|docker|cri-o|docker-pullable|podman|sha256|file|unix|npipe|image|nvidia|cuda|rapl|pyfile)$/i;

/** Hosts and names with passwords in URLs. */
export const urlsIn: Detector = (line, found) => {
  if (!line.includes('://')) return;
  for (const match of line.matchAll(urls)) {
    const { scheme = '', rest = '' } = match.groups ?? {};
    const start = match.index + scheme.length + 3;
    const slash = rest.search(/[/?#]/);
    let authority = slash < 0 ? rest : rest.slice(0, slash);
    // A password may hold a slash, as long as an @ follows that no path has before it.
    const at = authority.lastIndexOf('@');
    let from = 0;
    if (at >= 0) {
      const user = authority.slice(0, at);
      const colon = user.indexOf(':');
      if (colon >= 0) {
        if (colon > 0) found(start, start + colon, 'user', true);
        if (at > colon + 1) found(start + colon + 1, start + at, 'secret', at - colon > 6);
      } else if (user !== '')
        found(start, start + at, /^https?$/i.test(scheme) && user.length >= 16 ? 'secret' : 'user', true);
      from = at + 1;
    }
    authority = authority.slice(from);
    if (authority.startsWith('[') || containers.test(scheme)) continue;
    const host = authority
      .replace(/[),;\]]{1,4}$/, '')
      .replace(/:\d{0,5}$/, '')
      .replace(/[.:,]{1,3}$/, '');
    if (!/^[A-Za-z0-9][\w.-]{1,252}$/.test(host) || /^[\d.]+$/.test(host)) continue;
    if (isPublic(host) || nobody.has(host.toLowerCase())) continue;
    found(start + from, start + from + host.length, 'host', host.includes('.') || /\d/.test(host));
  }
};
