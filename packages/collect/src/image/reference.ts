import { ImageError } from './errors.ts';

/** An image in a registry. */
export interface RegistryReference {
  /** As a person says it: `docker.io`, `nvcr.io`, `localhost:5000`. */
  readonly registry: string;
  /** Host that is asked. */
  readonly host: string;
  readonly repository: string;
  /** `latest` where neither tag nor digest is written. */
  readonly tag: string | null;
  readonly digest: string | null;
  /** The whole reference. */
  readonly text: string;
}

/**
 * Reads a reference by the rules of Docker: what has no host is on Docker Hub, what has no owner there is in `library`.
 * @throws ImageError where it cannot be one
 */
export function parseReference(written: string): RegistryReference {
  const bad = (why: string, hint: string | null = null): ImageError =>
    new ImageError('no-image', `${JSON.stringify(written.slice(0, 300))} is no image reference: ${why}`, hint);
  let rest = written.replace(/^docker:\/\//, '');
  if (/^[a-z]+:\/\//.test(rest)) throw bad('it has a scheme', 'write it as for docker pull: HOST/NAME:TAG');
  if (rest === '' || rest.length > 1024) throw bad(rest === '' ? 'it is empty' : 'it is too long');
  let digest: string | null = null;
  const at = rest.indexOf('@');
  if (at >= 0) {
    digest = rest.slice(at + 1);
    rest = rest.slice(0, at);
    if (!/^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(digest)) throw bad('what follows @ is no digest');
  }
  let tag: string | null = null;
  const colon = rest.lastIndexOf(':');
  if (colon > rest.lastIndexOf('/')) {
    tag = rest.slice(colon + 1);
    rest = rest.slice(0, colon);
    if (!/^\w[\w.-]{0,127}$/.test(tag)) throw bad('what follows the last colon is no tag');
  }
  const slash = rest.indexOf('/');
  const first = slash < 0 ? '' : rest.slice(0, slash);
  const hasHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  let registry = hasHost ? first : 'docker.io';
  let repository = hasHost ? rest.slice(slash + 1) : rest;
  if (registry === 'index.docker.io' || registry === 'registry-1.docker.io') registry = 'docker.io';
  if (!/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253})|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/.test(registry))
    throw bad('its host is none');
  if (registry === 'docker.io' && !repository.includes('/')) repository = `library/${repository}`;
  if (repository !== repository.toLowerCase())
    throw bad('names of repositories have no capital letters', `perhaps ${repository.toLowerCase()}`);
  if (repository.length > 255 || !repository.split('/').every(isPart)) throw bad('the name of its repository is none');
  if (digest === null) tag ??= 'latest';
  return {
    registry,
    host: registry === 'docker.io' ? 'registry-1.docker.io' : registry,
    repository,
    tag,
    digest,
    text: `${registry}/${repository}${tag === null ? '' : `:${tag}`}${digest === null ? '' : `@${digest}`}`,
  };
}

function isPart(part: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,254}$/.test(part) && /[a-z0-9]$/.test(part);
}
