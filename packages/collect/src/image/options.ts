/** How an image is opened and how much of it is read. */
export interface ImageOptions {
  /** `linux/amd64`, `linux/arm64`, `linux/arm/v7`; without it, that of this machine, or the only one there is. */
  readonly platform?: string;
  /** Read the configuration and manifests only. */
  readonly quick?: boolean;
  /** Collect the GPU code of all libraries too. */
  readonly deep?: boolean;
  /** Folder in which what was read of a layer is kept, by digest. */
  readonly cache?: string;
  /** Registries may speak plain HTTP or show a certificate that nobody vouches for. */
  readonly insecure?: boolean;
  /** File of certificates (PEM) that are trusted besides those of the system. */
  readonly ca?: string;
  /** File with credentials, in place of those of docker and podman. */
  readonly authFile?: string;
  /** Root of containerd (`/var/lib/containerd`): the reference is looked up there. */
  readonly containerd?: string;
  /** Namespace of containerd; without it, the one that knows the name (`k8s.io`, `default`, `moby` …). */
  readonly namespace?: string;
  /** Process whose root file system is read; the reference is only its name. */
  readonly pid?: number;
  /** Layers that are read at the same time; without it, as many as there are processors, at most 2. */
  readonly parallel?: number;
  /** Milliseconds after which what is left of the layers is not read any more; without it 30 minutes. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
  /** Told now and then while layers are read. */
  readonly progress?: (state: ImageProgress) => void;
  /** Variables of the environment (proxies, places of credentials); without it, those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ImageProgress {
  readonly layers: number;
  readonly done: number;
  /** Stored bytes that were read so far, and of all layers where that is known. */
  readonly bytes: number;
  readonly of: number | null;
}
