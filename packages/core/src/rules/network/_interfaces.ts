/** Interfaces that container engines, hypervisors and the host itself make; they lead to no other node. */
const virtual =
  /^(?:docker\d|br-|veth|virbr|vnet|cni|flannel|cali|cilium|lxc|lxd|podman|weave|kube|dummy|tun|tap|lo$|vmnet|vethernet|zt|tailscale|wg)/;

/** True for an interface that is only of this machine, by its name. */
export function isVirtual(name: string): boolean {
  return virtual.test(name.toLowerCase());
}

/** True for an address that only this machine, or the default bridge of a container engine, has. */
export function isLocalAddress(address: string): boolean {
  return /^(?:\[?fe80:|127\.|172\.1[7-9]\.|169\.254\.|\[?::1)/.test(address.trim().replace(/^[a-z0-9-]{1,16}:/, ''));
}
