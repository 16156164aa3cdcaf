/** Names of files in a few words. */
export function named(names: readonly string[]): string {
  if (names.length === 0) return 'or drop files and folders anywhere. Nothing leaves this machine.';
  return names.length === 1 ? names[0]! : `${names.length} files`;
}
