/** What a function of public whole numbers gives, kept. */
export function kept(compute) {
  const known = new Map();
  return (key, ...rest) => {
    const name = [key, ...rest].join();
    if (!known.has(name)) {
      if (known.size > 256) known.clear();
      known.set(name, compute(key, ...rest));
    }
    return known.get(name);
  };
}
