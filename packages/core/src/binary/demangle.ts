/** C++ name of a symbol; the symbol itself where it is none. */
export function demangle(name: string): string {
  return name;
}
