/**
 * A copy of plain data that shares no text with what it was made from, so that a long log whose lines it quotes can be let
 * go. Equal texts are held once.
 */
export function detached<T>(value: T): T {
  const texts = new Map<string, string>();
  const objects = new Map<object, unknown>();
  const text = (given: string): string => {
    let own = texts.get(given);
    // A text that is put together and cut again is one of its own, not a window on the whole.
    if (own === undefined) texts.set((own = ` ${given}`.slice(1)), own);
    return own;
  };
  const copy = (given: unknown): unknown => {
    if (typeof given === 'string') return given.length > 12 ? text(given) : given;
    if (typeof given !== 'object' || given === null) return given;
    const known = objects.get(given);
    if (known !== undefined) return known;
    if (Array.isArray(given)) {
      const list: unknown[] = [];
      objects.set(given, list);
      for (const each of given as readonly unknown[]) list.push(copy(each));
      return list;
    }
    if (given instanceof Map) {
      const map = new Map<unknown, unknown>();
      objects.set(given, map);
      for (const [key, each] of given as ReadonlyMap<unknown, unknown>) map.set(copy(key), copy(each));
      return map;
    }
    if (given instanceof Set) {
      const set = new Set<unknown>();
      objects.set(given, set);
      for (const each of given as ReadonlySet<unknown>) set.add(copy(each));
      return set;
    }
    const record: Record<string, unknown> = {};
    objects.set(given, record);
    for (const [key, each] of Object.entries(given)) record[key] = copy(each);
    return record;
  };
  return copy(value) as T;
}
